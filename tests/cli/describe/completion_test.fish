#!/usr/bin/env fish
# Asks the completion of fish as fish does. usage: completion_test.fish SCRIPT
source $argv[1]
or exit 1
set -g failed 0

# expect WANTED LINE: what is proposed for the last word of the line, sorted, as "a b c".
function expect --argument-names wanted line
    set -l found (complete -C $line | string replace -r '\t.*' '' | sort | string join ' ')
    test "$found" = "$wanted"
    and return
    echo $line
    echo "  expected: $wanted"
    echo "  found:    $found"
    set -g failed 1
end

set -l folder (mktemp -d)
cd $folder
touch graph.json

expect 'schedule search' 'heddle s'
expect 'clear export show' 'heddle history '
expect --seed 'heddle schedule cholesky --se'
expect 'ms s' 'heddle schedule --unit '
expect 'heft heft-xkaapi heftp' 'heddle schedule x --policy heft'
expect 'heft:rank=avg heft:rank=min' 'heddle schedule x --policy heft:r'
expect 'heft,dmdas' 'heddle compare x --policies heft,dmdas'
expect 'heteroprio-dep:order=best,dmdas' 'heddle compare x --policies heteroprio-dep:order=best,dmdas'
expect 'mirage mirage-relative' 'heddle schedule x --platform mi'
expect 'mirage:cpu=9,links=measured' 'heddle schedule x --platform mirage:cpu=9,l'
expect cholesky 'heddle inspect chol'
expect graph.json 'heddle inspect gr'
expect graph.json 'heddle schedule x -o gr'
expect synthetic 'heddle run sy'
expect spoliation-orders 'heddle experiment sp'
expect glossary 'heddle help glo'

cd /
rm -r $folder
exit $failed

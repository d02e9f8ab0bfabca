#!/usr/bin/env bash
# Asks the completion of bash as bash does. usage: completion_test.bash SCRIPT
set -u
source "$1" || exit 1
failed=0

# complete_line WORD...: what is proposed for the last word, sorted, as "a b c ". The words are as bash breaks them, at
# ':' and '=', too.
complete_line() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  _heddle
  printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '
}

# expect WANTED WORD...
expect() {
  local wanted=$1 found
  shift
  found=$(complete_line "$@")
  [[ $found == "$wanted" ]] && return
  printf '%s\n  expected: %s\n  found:    %s\n' "$*" "$wanted" "$found"
  failed=1
}

# expect_some WANTED WORD...: all words of WANTED are among them.
expect_some() {
  local wanted=$1 found word
  shift
  found=" $(complete_line "$@")"
  for word in $wanted; do
    [[ $found == *" $word "* ]] && continue
    printf '%s\n  expected: %s\n  found:   %s\n' "$*" "$word" "$found"
    failed=1
  done
}

cd "$(mktemp -d)" || exit 1
trap 'rm -rf "$PWD"' EXIT
touch graph.json 'two words.json'

expect 'schedule search ' heddle s
expect_some 'bound compare help history schedule validate' heddle ''
expect 'clear export show ' heddle history ''
expect '--seed ' heddle schedule cholesky --se
expect '--help --history --json ' heddle history show --
expect 's ' heddle schedule --unit s
expect 'ms s ' heddle schedule --unit ''
expect 'ms s ' heddle schedule --unit =
expect 'ms ' heddle schedule --unit = m
expect 'heft heft-xkaapi heftp ' heddle schedule x --policy heft
expect 'rank=avg rank=min ' heddle schedule x --policy heft : r
expect 'best ' heddle schedule x --policy heteroprio-dep : order = b
expect 'heft,dmdas ' heddle compare x --policies heft,dmdas
expect 'all ' heddle compare x --policies al
expect 'best,dmdas ' heddle compare x --policies = heteroprio-dep : order = best,dmdas
expect 'mirage mirage-relative ' heddle schedule x --platform mi
expect 'links=measured ' heddle schedule x --platform mirage : l
expect '9,links=measured ' heddle schedule x --platform mirage : cpu = 9,l
expect 'cholesky ' heddle inspect chol
expect 'graph.json ' heddle inspect gr
expect 'two words.json ' heddle inspect tw
expect '12,precision=double 12,precision=single ' heddle inspect cholesky : tiles = 12,p
expect 'graph.json two words.json ' heddle validate cholesky ''
expect ' ' heddle validate cholesky graph.json ''
expect 'graph.json ' heddle schedule x -o g
expect 'synthetic ' heddle run sy
expect 'spoliation-orders ' heddle experiment sp
expect 'critical-path ' heddle bound x --kind cr
expect 'glossary ' heddle help glo
expect '2,opencl= ' heddle calibrate --workers cpu = 2,op
expect ' ' heddle schedule x --seed ''
exit $failed

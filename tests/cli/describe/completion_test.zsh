#!/usr/bin/env zsh
# Asks the completion of zsh in a terminal, as a user does. usage: completion_test.zsh SCRIPT
emulate -R zsh
zmodload zsh/zpty || exit 1
typeset -i failed=0
folder=$(mktemp -d)
trap 'rm -rf $folder' EXIT
cp $1 $folder/_heddle
touch $folder/graph.json

# A shell that writes what is proposed for a line on one line, between marks.
zpty asked zsh -f
ask() { zpty -w asked "$1"; }
ask "PROMPT= RPS1=; stty -echo; cd $folder; fpath=($folder \$fpath); autoload -Uz compinit; compinit -u -d $folder/dump"
ask 'compadd() {
  local -a matched
  [[ ${@[1,(i)(-|--)]} == *-[OAD]* ]] || { builtin compadd -O matched "$@"; proposed+=($matched) }
  builtin compadd "$@"
}'
ask 'show() { local -a proposed; _main_complete; print -r -- "<[${(j: :)${(@ou)proposed}}]>"; BUFFER= }'
ask 'zle -C show list-choices show; bindkey "^X" show; zstyle ":completion:*" list-grouped false; print REA""DY'
zpty -r asked line '*READY*'

# expect WANTED LINE: what is proposed for the last word of the line, sorted, as "a b c".
expect() {
  local found line
  zpty -w -n asked "$2"$'\C-X'
  zpty -r asked line '*\]>*'
  found=${${line##*<\[}%%\]>*}
  zpty -w -n asked $'\C-U'
  [[ $found == $1 ]] && return
  print -r -- "$2"$'\n'"  expected: $1"$'\n'"  found:    $found"
  failed=1
}

expect 'schedule search' 'heddle s'
expect 'clear export show' 'heddle history '
expect 'ms s' 'heddle schedule --unit '
expect 'heft heft-xkaapi heftp' 'heddle schedule x --policy heft'
expect 'heft:rank=avg heft:rank=min' 'heddle schedule x --policy heft:r'
expect 'heft,dmdas' 'heddle compare x --policies heft,dmdas'
expect 'mirage mirage-relative' 'heddle schedule x --platform mi'
expect 'mirage:cpu=9,links=measured' 'heddle schedule x --platform mirage:cpu=9,l'
expect 'graph.json' 'heddle inspect gr'
expect 'synthetic' 'heddle run sy'
expect 'glossary' 'heddle help glo'
exit $failed

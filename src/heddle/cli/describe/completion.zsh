# What follows is the same for every version; the tables above are made from the command's own.

# Offers names, the name:key=value of their settings once a name is there, and files if $3 is "files"; several with
# commas between them if $4 is "listed".
_heddle_offer() {
  local -a names=(${=1}) settings=(${=2}) offered
  local head=${PREFIX%"${PREFIX##*,}"} tail=${PREFIX##*,} spec
  if [[ $tail == *:* ]]; then
    offered=($settings)
  elif [[ $head == *:* ]]; then # one more option of what was named before
    spec=${${head%:*}##*,}
    offered=(${${(M)settings:#$spec:*}#*:})
    [[ $4 == listed ]] && offered+=($names)
  elif [[ -z $head || $4 == listed ]]; then
    offered=($names)
  fi
  offered=($head${^offered})
  local ret=1
  compadd -S '' -- ${(M)offered:#*[:=]} && ret=0
  compadd -- ${offered:#*[:=]} && ret=0
  [[ $3 == files ]] && _files && ret=0
  return ret
}

_heddle "$@"

# What follows is the same for every version; the tables above are made from the command's own.

# Joins what bash broke at ':' and '=', into $words.
_heddle_join_words() {
  local i part joins=
  words=()
  for ((i = 0; i <= COMP_CWORD; ++i)); do
    part=${COMP_WORDS[i]}
    if ((i > 1)) && [[ $joins || $part == [:=]* ]]; then words[-1]+=$part; else words+=("$part"); fi
    [[ $part == *[:=] ]] && joins=yes || joins=
  done
}

# What may stand for $current, which is a value of kind $kind, into $COMPREPLY.
_heddle_complete_value() {
  local names= settings= files= listed= head tail spec setting offered=
  _heddle_values "$kind"
  head=${current%"${current##*,}"}
  tail=${current##*,}
  if [[ $tail == *:* ]]; then
    offered=$settings
  elif [[ $head == *:* ]]; then # one more option of what was named before
    spec=${head%:*}
    spec=${spec##*,}
    for setting in $settings; do
      [[ $setting == "$spec:"* ]] && offered+=" ${setting#*:}"
    done
    [[ $listed ]] && offered+=" $names"
  elif [[ -z $head || $listed ]]; then
    offered=$names
  fi
  mapfile -t COMPREPLY < <(compgen -P "$head" -W "$offered" -- "$tail")
  if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[:=] ]]; then compopt -o nospace 2>/dev/null; fi
  if [[ $files ]]; then
    local -a paths
    mapfile -t paths < <(compgen -f -- "$current")
    ((${#paths[@]})) && compopt -o filenames 2>/dev/null
    COMPREPLY+=("${paths[@]}")
  fi
}

_heddle() {
  local -a words
  _heddle_join_words
  local current=${words[-1]} command= expected= kind= count=0 before= word i
  # What the words before the cursor say: the command, whether an option waits for its value, and how many arguments
  # there are already.
  for ((i = 1; i < ${#words[@]} - 1; ++i)); do
    word=${words[i]}
    if [[ $expected ]]; then
      expected=
    elif [[ $word == -* ]]; then
      if [[ $word != *=* ]] && _heddle_option "$command/$word"; then expected=$kind; fi
    elif _heddle_is_command "${command:+$command }$word"; then
      command=${command:+$command }$word
    else
      ((++count))
    fi
  done

  COMPREPLY=()
  if [[ $expected ]]; then
    kind=$expected
    _heddle_complete_value
  elif [[ $current == --*=* ]]; then
    before=${current%%=*}=
    current=${current#*=}
    if _heddle_option "$command/${before%=}" && [[ $kind ]]; then _heddle_complete_value; fi
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_heddle_options "$command")" -- "$current")
  elif word=$(_heddle_commands "$command") && [[ $word ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$word" -- "$current")
  elif _heddle_argument "$command/$count"; then
    _heddle_complete_value
  fi

  # Readline replaces only what follows the last character at which it breaks words.
  local typed=$before$current
  while [[ $typed && $COMP_WORDBREAKS != *"${typed: -1}"* ]]; do typed=${typed%?}; done
  COMPREPLY=("${COMPREPLY[@]/#/$before}")
  COMPREPLY=("${COMPREPLY[@]#"$typed"}")
}

complete -F _heddle heddle

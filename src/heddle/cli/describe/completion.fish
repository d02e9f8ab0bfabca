# What follows is the same for every version; the lines below it are made from the command's own table.

# Whether the words before the cursor name this command.
function __heddle_at --argument-names wanted
    set -l command
    for word in (commandline -opc)
        if contains -- (string join -- ' ' $command $word) $__heddle_commands
            set -a command $word
        end
    end
    test "$command" = "$wanted"
end

# Prints names, the name:key=value of their settings once a name is there; several with commas between them if $listed
# is "listed".
function __heddle_offer --argument-names names settings listed
    set -l token (commandline -ct | string replace -r -- '^--[a-z]+=' '')
    set -l tail (string replace -r -- '.*,' '' "$token")
    set -l head (string replace -r -- '[^,]*$' '' "$token")
    set -l offered
    if string match -q -- '*:*' "$tail"
        set offered (string split -n -- ' ' $settings)
    else if string match -q -- '*:*' "$head" # one more option of what was named before
        set -l spec (string match -r -- '([^,:]*):[^:]*$' "$head")[2]
        for setting in (string split -n -- ' ' $settings)
            string match -q -- "$spec:*" $setting
            and set -a offered (string replace -- "$spec:" '' $setting)
        end
        test "$listed" = listed
        and set -a offered (string split -n -- ' ' $names)
    else if test -z "$head" -o "$listed" = listed
        set offered (string split -n -- ' ' $names)
    end
    for word in $offered
        echo -- $head$word
    end
end

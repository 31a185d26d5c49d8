#!/usr/bin/env bash
# A provider in bash (4 or later) and nothing else: one action that greets somebody.
#
# A host starts this program, writes one JSON object on a line for each request, and reads one JSON
# object on a line for each answer. Whatever else there is to say goes to stderr.
#
# Try it:
#
#   ./greeter.sh schema
#   echo '{"id":1,"method":"execute","params":{"action":"greet","attrs":{"name":"you"}}}' | ./greeter.sh
#
# Its limits. bash has no JSON, so this takes lines apart with patterns:
#   - `id` and `method` are the first members of those names in the line, `action` and `attrs` the
#     first after `params`. Hosts write them in that order; JSON does not promise it.
#   - It does not notice everything that is wrong with a line that is not quite JSON.
#   - Attributes are strings, bools and null. A list or an object is no value it could take.
#   - Strings are never unescaped: `\n` comes in as two characters and goes out as the same two,
#     which is right as long as nobody looks inside. An attribute's name with an escape in it is
#     therefore another name than the same without, and shouting leaves letters alone that are
#     written as escapes.
# A provider with more than this to say is better off in another language.

# Patterns for JSON: a string with its quotes (1 group), and what may stand between a name and its
# value. The quote that begins a name follows `{` or `,`, and no quote inside a string can be taken
# for it, since those have a backslash before them.
string='"(([^"\\]|\\.)*)"'
colon='[[:space:]]*:[[:space:]]*'

# The schema is constant, so it is written as it goes out: on one line.
schema='{"name":"greeter","version":"1.0.0","protocol":"1","config":{},"actions":{"greet":{'
schema+='"description":"Greets somebody","attrs":{'
schema+='"name":{"type":"string","required":true,"description":"Whom to greet."},'
schema+='"greeting":{"type":"string","required":false,"default":"hello","description":"The words before the name."},'
schema+='"loud":{"type":"bool","required":false,"description":"Whether to shout."}},'
schema+='"outputs":{"type":"object({ text = string })"}}}}'

# Answers. What is put into a message must be JSON-escaped, as everything is that came in.
result() { printf '{"id":%s,"result":%s}\n' "$id" "$1"; }
failure() { printf '{"id":%s,"error":{"code":"%s","message":"%s"}}\n' "$id" "$1" "$2"; }

# Sets `found` to the string after a name, still escaped.
find_string() { # name text
    local pattern="[{,][[:space:]]*\"$1\"$colon$string"
    [[ $2 =~ $pattern ]] && found=${BASH_REMATCH[1]}
}

# Reads a flat object into `attributes`: strings as they are, with their quotes. Fails, with the
# reason in `problem`, where the text is no flat object.
declare -A attributes
read_attributes() { # text that begins with {
    local rest=${1#\{}
    local member="^[[:space:]]*$string$colon($string|true|false|null|-?[0-9][0-9.eE+-]*)[[:space:]]*([,}])(.*)"
    local compound="^[[:space:]]*$string$colon[[{]"
    attributes=()
    [[ $rest =~ ^[[:space:]]*\} ]] && return 0
    while [[ $rest =~ $member ]]; do
        [[ ${BASH_REMATCH[3]} == null ]] || attributes[${BASH_REMATCH[1]}]=${BASH_REMATCH[3]}
        rest=${BASH_REMATCH[7]}
        [[ ${BASH_REMATCH[6]} == '}' ]] && return 0
    done
    if [[ $rest =~ $compound ]]; then
        problem="the attribute \\\"${BASH_REMATCH[1]}\\\" is no list and no object"
    else
        problem='the attributes cannot be read'
    fi
    return 1
}

# Capital letters, except in escapes: `\n` must not become `\N`.
shout() { # escaped text
    local rest=$1 escape='^([^\\]*)(\\u[0-9a-fA-F]{4}|\\.)(.*)'
    shouted=
    while [[ $rest =~ $escape ]]; do
        shouted+=${BASH_REMATCH[1]^^}${BASH_REMATCH[2]}
        rest=${BASH_REMATCH[3]}
    done
    shouted+=${rest^^}
}

# The action: `attributes` in, outputs out.
greet() {
    local name
    for name in "${!attributes[@]}"; do
        case $name in
            name | greeting)
                if [[ ${attributes[$name]} != \"* ]]; then
                    failure validation_failed "\\\"$name\\\" must be a string"
                    return
                fi ;;
            loud)
                if [[ ${attributes[loud]} != true && ${attributes[loud]} != false ]]; then
                    failure validation_failed '\"loud\" must be a bool'
                    return
                fi ;;
            *)
                failure validation_failed "the attribute \\\"$name\\\" is not supported"
                return ;;
        esac
    done
    if [[ -z ${attributes[name]+given} ]]; then
        failure validation_failed 'the attribute \"name\" is required'
        return
    fi
    local greeting=${attributes[greeting]-'"hello"'}
    # Each still has its quotes; inside them is escaped text, and two of those make another.
    local text="${greeting:1:-1}, ${attributes[name]:1:-1}"
    if [[ ${attributes[loud]} == true ]]; then
        shout "$text"
        text=$shouted
    fi
    result "{\"outputs\":{\"text\":\"$text\"}}"
}

execute() { # params
    if ! find_string action "$1"; then
        failure invalid_request '`action` must be a string'
        return
    fi
    if [[ $found != greet ]]; then
        failure unknown_action "unknown action \`$found\`"
        return
    fi
    local attrs_member="[{,][[:space:]]*\"attrs\"$colon(.*)"
    local attrs='{}'
    [[ $1 =~ $attrs_member ]] && attrs=${BASH_REMATCH[1]}
    [[ $attrs == null* ]] && attrs='{}'
    if [[ $attrs != \{* ]]; then
        failure invalid_request '`attrs` must be an object'
    elif read_attributes "$attrs"; then
        greet
    else
        failure validation_failed "$problem"
    fi
}

case $#,$1 in
    0,) ;;
    1,schema)
        printf '%s\n' "$schema"
        exit 0 ;;
    *)
        echo 'usage: greeter.sh [schema]' >&2
        exit 2 ;;
esac

id_member="[{,][[:space:]]*\"id\"$colon(-?[0-9]+)"
params_member="[{,][[:space:]]*\"params\"$colon(.*)"
while IFS= read -r line; do # Ends when the host closes our stdin.
    [[ -z ${line//[[:space:]]/} ]] && continue
    id=0 # What cannot be read has no id to answer to.
    if [[ ! $line =~ $id_member ]]; then
        failure invalid_request 'a request is an object with an id'
        continue
    fi
    id=${BASH_REMATCH[1]}
    if ! find_string method "$line"; then
        failure invalid_request 'a request has a method'
        continue
    fi
    method=$found
    params='{}'
    [[ $line =~ $params_member ]] && params=${BASH_REMATCH[1]}
    case $method in
        describe) result "{\"schema\":$schema}" ;;
        configure) result '{}' ;;
        execute) execute "$params" ;;
        shutdown)
            result '{}'
            exit 0 ;;
        *) failure unknown_method "unknown method \`$method\`" ;;
    esac
done
exit 0

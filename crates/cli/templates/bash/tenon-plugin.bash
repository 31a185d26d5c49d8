# Serves a plugin that is written in bash, version 4.2 or later, and needs nothing else.
#
#   plugin NAME VERSION
#   offer_function NAME SUMMARY PARAMETER... -- TYPE       bash function NAME:        answer VALUE
#   offer_action NAME SUMMARY PARAMETER... -- OUTPUT...    bash function NAME:        answer OUTPUT VALUE
#   offer_resource NAME SUMMARY PROP... -- ATTRIBUTE...    NAME_create ID is not known: answer id VALUE, answer ATTRIBUTE VALUE
#                                                          NAME_read ID: answer, set given[PROP], or `gone`
#                                                          NAME_update ID, NAME_delete ID
#   serve "$@"
#
# A parameter is `name:TYPE`, or `name:TYPE=DEFAULT` if it can be left out; a prop that replaces the resource when it
# changes is `name:TYPE!`. A TYPE is string, number or bool. What a caller passed is in the table `given`. `fail MESSAGE`
# and a status other than 0 refuse a call. What is printed to stdout goes to stderr: stdout is for the protocol.
#
# Hosts: scenarios (Orchard), Terraform through denobridge, JSON-RPC in lines (`tenon call`, `tenon serve`), and MCP.
# A packed provider, hooks and storage need msgpack, which bash cannot read: it has no NUL bytes.

# An ampersand in a replacement is itself.
shopt -u patsub_replacement 2> /dev/null

declare -A given result value kind_of
declare -A summary_of inputs_of outputs_of offered
functions=() actions=() resource=

plugin() { # name version
    plugin_name=$1 plugin_version=$2
}

offer() { # kind name summary input... -- output...
    local kind=$1 name=$2
    offered[$name]=$kind summary_of[$name]=$3 inputs_of[$name]='' outputs_of[$name]=''
    shift 3
    while (( $# )) && [[ $1 != -- ]]; do inputs_of[$name]+="$1"$'\n'; shift; done
    shift
    local IFS=$'\n'
    outputs_of[$name]="$*"
}
offer_function() { offer function "$@"; functions+=("$1"); }
offer_action() { offer action "$@"; actions+=("$1"); }
offer_resource() { offer resource "$@"; resource=$1; }

answer() { # [name] value
    if (( $# == 1 )); then result[returned]=$1; else result[$1]=$2; fi
}
fail() { # message
    problem=$1
    return 1
}
gone() { is_gone=1; }

# --- JSON ---

quote() { # text -> $quoted
    local LC_ALL=C text=$1 byte code
    text=${text//\\/\\\\} text=${text//\"/\\\"} text=${text//$'\n'/\\n} text=${text//$'\t'/\\t} text=${text//$'\r'/\\r}
    while [[ $text =~ [[:cntrl:]] ]]; do
        byte=${BASH_REMATCH[0]}
        printf -v code '\\u%04x' "'$byte"
        text=${text//"$byte"/$code}
    done
    quoted="\"$text\""
}

utf8() { # code point -> appended to $text
    local code=$1 escapes part
    if (( code < 0x80 )); then printf -v escapes '\\x%02x' "$code"
    elif (( code < 0x800 )); then printf -v escapes '\\x%02x' $((0xc0 | code >> 6)) $((0x80 | code & 0x3f))
    elif (( code < 0x10000 )); then
        printf -v escapes '\\x%02x' $((0xe0 | code >> 12)) $((0x80 | code >> 6 & 0x3f)) $((0x80 | code & 0x3f))
    else
        printf -v escapes '\\x%02x' $((0xf0 | code >> 18)) $((0x80 | code >> 12 & 0x3f)) \
            $((0x80 | code >> 6 & 0x3f)) $((0x80 | code & 0x3f))
    fi
    printf -v part '%b' "$escapes"
    text+=$part
}

unescape() { # escaped text -> $text
    local left=$1 code low
    text=
    while [[ $left == *\\* ]]; do
        text+=${left%%\\*} left=${left#*\\}
        case $left in
            n*) text+=$'\n' ;; t*) text+=$'\t' ;; r*) text+=$'\r' ;; b*) text+=$'\b' ;; f*) text+=$'\f' ;;
            [\"\\/]*) text+=${left:0:1} ;;
            u*)
                [[ ${left:1:4} =~ ^[0-9a-fA-F]{4}$ ]] || { fail 'a string has an invalid escape'; return; }
                code=$((16#${left:1:4})) left=${left:4}
                if (( code == 0 )); then fail 'bash cannot hold the character U+0000'; return; fi
                if (( (code & 0xfc00) == 0xd800 )) && [[ $left =~ ^.\\u([dD][c-fC-F][0-9a-fA-F]{2}) ]]; then
                    low=$((16#${BASH_REMATCH[1]})) left=${left:6}
                    code=$((0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff)))
                elif (( (code & 0xf800) == 0xd800 )); then code=0xfffd; fi
                utf8 "$code" ;;
            *) fail 'a string has an invalid escape'; return ;;
        esac
        left=${left:1}
    done
    text+=$left
}

string_pattern='^"(([^"\\]|\\.)*)"'
scalar_pattern='^(-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?|true|false|null)'

# Reads the value at the start of $rest into the tables `value` and `kind_of`, by its path: params/props/name.
read_value() { # path depth
    # A table of bash has no empty key.
    local path=$1 key=${1:-/} text name index=0
    (( $2 < 32 )) || { fail 'the JSON is nested too deeply'; return; }
    rest=${rest#"${rest%%[![:space:]]*}"}
    case $rest in
        '{'* | '['*)
            local is_object=0 end=']'
            [[ $rest == '{'* ]] && is_object=1 end='}'
            (( is_object )) && kind_of[$key]=object || kind_of[$key]=array
            rest=${rest:1}
            rest=${rest#"${rest%%[![:space:]]*}"}
            [[ $rest == "$end"* ]] && { rest=${rest:1} value[$key]=0; return 0; }
            while :; do
                name=$index
                if (( is_object )); then
                    rest=${rest#"${rest%%[![:space:]]*}"}
                    [[ $rest =~ $string_pattern ]] || { fail 'the JSON has a member without a name'; return; }
                    rest=${rest:${#BASH_REMATCH[0]}}
                    unescape "${BASH_REMATCH[1]}" || return
                    name=$text
                    [[ $name != */* ]] || { fail "the name $name has a slash, which this plugin cannot read"; return; }
                    [[ $rest =~ ^[[:space:]]*: ]] || { fail 'the JSON has a member without a value'; return; }
                    rest=${rest:${#BASH_REMATCH[0]}}
                    members[$key]+="$name"$'\n'
                fi
                read_value "$path/$name" $(($2 + 1)) || return
                index=$((index + 1))
                rest=${rest#"${rest%%[![:space:]]*}"}
                case $rest in
                    ,*) rest=${rest:1} ;;
                    "$end"*) rest=${rest:1} value[$key]=$index; return 0 ;;
                    *) fail 'the JSON cannot be read'; return ;;
                esac
            done ;;
        '"'*)
            [[ $rest =~ $string_pattern ]] || { fail 'the JSON has a string without an end'; return; }
            rest=${rest:${#BASH_REMATCH[0]}}
            unescape "${BASH_REMATCH[1]}" || return
            kind_of[$key]=string value[$key]=$text ;;
        *)
            [[ $rest =~ $scalar_pattern ]] || { fail 'the JSON cannot be read'; return; }
            rest=${rest:${#BASH_REMATCH[0]}} value[$key]=${BASH_REMATCH[1]}
            case ${BASH_REMATCH[1]} in
                true | false) kind_of[$key]=bool ;;
                null) kind_of[$key]=null ;;
                *) kind_of[$key]=number ;;
            esac ;;
    esac
}

read_json() { # text
    local LC_ALL=C rest=$1
    value=() kind_of=() problem=
    declare -gA members=()
    read_value '' 0 || return
    [[ $rest =~ ^[[:space:]]*$ ]] || fail 'there is text after the JSON'
}

encode() { # type text -> $encoded
    case $1 in
        string) quote "$2"; encoded=$quoted ;;
        *) encoded=$2; [[ $2 =~ $scalar_pattern && ${BASH_REMATCH[0]} == "$2" ]] || encoded=null ;;
    esac
}

# --- Declarations ---

# Takes `name:TYPE=DEFAULT` apart.
split() { # declaration -> $name, $type, $default, $has_default, $replaces
    local declared=$1
    name=${declared%%:*} type=${declared#*:} default='' has_default=0 replaces=0
    [[ $type == *=* ]] && default=${type#*=} type=${type%%=*} has_default=1
    [[ $type == *! ]] && type=${type%!} replaces=1
}

# An object of schemas, for Orchard or as JSON Schema.
schemas() { # form declarations -> $schemas, $required
    local form=$1 declared name type default has_default replaces comma=
    schemas= required=
    while IFS= read -r declared; do
        [[ -n $declared ]] || continue
        split "$declared"
        quote "$name"
        schemas+=$comma$quoted comma=,
        if [[ $form == json && $type == bool ]]; then schemas+=':{"type":"boolean"'; else schemas+=":{\"type\":\"$type\""; fi
        if (( has_default )); then
            encode "$type" "$default"
            schemas+=",\"default\":$encoded"
        else
            quote "$name"
            required+=${required:+,}$quoted
        fi
        if [[ $form == orchard ]]; then
            (( has_default )) && schemas+=',"required":false' || schemas+=',"required":true'
        fi
        schemas+='}'
    done <<< "$2"
}

orchard_schema() { # -> $schema
    local action comma= outputs declared
    quote "$plugin_name"; schema="{\"name\":$quoted"
    quote "$plugin_version"; schema+=",\"version\":$quoted,\"protocol\":\"1\",\"config\":{},\"actions\":{"
    for action in "${actions[@]}"; do
        schemas orchard "${inputs_of[$action]}"
        quote "$action"; schema+=$comma$quoted comma=,
        quote "${summary_of[$action]}"; schema+=":{\"description\":$quoted,\"attrs\":{$schemas},\"outputs\":{\"type\":\"object({"
        outputs=
        while IFS= read -r declared; do
            [[ -n $declared ]] && outputs+="${outputs:+,} ${declared%%:*} = ${declared#*:}"
        done <<< "${outputs_of[$action]}"
        schema+="$outputs })\"}}"
    done
    schema+='}}'
}

tools() { # -> $tools
    local tool comma=
    tools=
    for tool in "${functions[@]}" "${actions[@]}"; do
        schemas json "${inputs_of[$tool]}"
        quote "$tool"; tools+="$comma{\"name\":$quoted" comma=,
        quote "${summary_of[$tool]}"
        tools+=",\"description\":$quoted,\"inputSchema\":{\"type\":\"object\",\"properties\":{$schemas}"
        tools+=",\"required\":[$required],\"additionalProperties\":false}}"
    done
}

# --- Calls ---

# Fills `given` with what is at a path: an object by names, or an array by position.
take() { # declarations path
    local declared name type default has_default replaces position=0 path given_name known=$'\n'
    given=()
    local form=${kind_of[$2]-null}
    while IFS= read -r declared; do
        [[ -n $declared ]] || continue
        split "$declared"
        known+=$name$'\n' path=$2/$name
        [[ $form == array ]] && path=$2/$position
        position=$((position + 1))
        case ${kind_of[$path]-null} in
            "$type") given[$name]=${value[$path]} ;;
            null)
                (( has_default )) || { fail "\"$name\" is required"; return; }
                given[$name]=$default ;;
            *) fail "\"$name\" must be a $type"; return ;;
        esac
    done <<< "$1"
    if [[ $form == array ]]; then
        (( ${value[$2]} <= position )) || fail "there are ${value[$2]} arguments, and at most $position are taken"
        return
    fi
    [[ $form == object || $form == null ]] || { fail 'the parameters must be an object or an array'; return; }
    while IFS= read -r given_name; do
        [[ -z $given_name || $known == *$'\n'"$given_name"$'\n'* ]] || { fail "\"$given_name\" is not supported"; return; }
    done <<< "${members[$2]-}"
}

run() { # bash function, argument... -> table `result`
    local status
    result=() is_gone=0 problem=
    "$@" < /dev/null
    status=$?
    (( status == 0 )) && [[ -z $problem ]] && return 0
    [[ -n $problem ]] || problem="$1 failed with status $status"
    return 1
}

outputs() { # declarations, table `result` or `given` -> $encoded, an object
    local declared name type default has_default replaces object= text
    while IFS= read -r declared; do
        [[ -n $declared ]] || continue
        split "$declared"
        if [[ $2 == given ]]; then text=${given[$name]-}; else text=${result[$name]-}; fi
        encode "$type" "$text"
        quote "$name"
        object+=${object:+,}$quoted:$encoded
    done <<< "$1"
    encoded="{$object}"
}

# Calls a function or an action with what is at a path.
perform() { # name path -> $encoded
    is_refused=1
    take "${inputs_of[$1]}" "$2" || return
    is_refused=0
    run "$1" || return
    case ${offered[$1]} in
        function) encode "${outputs_of[$1]}" "${result[returned]-}" ;;
        *) outputs "${outputs_of[$1]}" result ;;
    esac
}

send() { printf '%s\n' "$1" >&"$protocol"; }

# --- Orchard: scenarios ---

orchard_error() { quote "$2"; send "{\"id\":$id,\"error\":{\"code\":\"$1\",\"message\":$quoted}}"; }

orchard() { # method
    local action=${value[/params/action]-}
    case $1 in
        describe) orchard_schema; send "{\"id\":$id,\"result\":{\"schema\":$schema}}" ;;
        configure) send "{\"id\":$id,\"result\":{}}" ;;
        shutdown) send "{\"id\":$id,\"result\":{}}"; exit 0 ;;
        execute)
            if [[ ${offered[$action]-} != action ]]; then orchard_error unknown_action "unknown action \`$action\`"
            elif perform "$action" /params/attrs; then send "{\"id\":$id,\"result\":{\"outputs\":$encoded}}"
            elif (( is_refused )); then orchard_error validation_failed "$problem"
            else orchard_error execute_failed "$problem"; fi ;;
        *) orchard_error unknown_method "unknown method \`$1\`" ;;
    esac
}

# --- JSON-RPC in lines: denobridge, MCP, and every other caller ---

reply() { send "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
refuse() { quote "$2"; send "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":$1,\"message\":$quoted}}"; }

not_found() { # method
    local names="${functions[*]} ${actions[*]}"
    refuse -32601 "there is no method $1; there are: ${names# }"
}

manage_resource() { # method
    local name props="${inputs_of[$resource]}" state="${outputs_of[$resource]}" object_id=${value[/params/id]-} own
    [[ -n $resource ]] || { not_found "$1"; return; }
    case $1 in
        modifyPlan)
            local declared type default has_default replaces
            while IFS= read -r declared; do
                split "$declared"
                (( replaces )) && [[ ${value[/params/planType]} == update ]] || continue
                [[ ${value[/params/nextProps/$name]-} == "${value[/params/currentProps/$name]-}" ]] && continue
                reply '{"requiresReplacement":true}'
                return
            done <<< "$props"
            reply null ;;
        create)
            take "$props" /params/props && run "${resource}_create" || { refuse -32000 "$problem"; return; }
            outputs "$state" result
            quote "${result[id]-}"
            reply "{\"id\":$quoted,\"state\":$encoded}" ;;
        read)
            # After an import there are no props yet.
            given=()
            if [[ ${kind_of[/params/props]-null} == object ]]; then
                take "$props" /params/props || { refuse -32000 "$problem"; return; }
            fi
            run "${resource}_read" "$object_id" || { refuse -32000 "$problem"; return; }
            (( is_gone )) && { reply '{"exists":false}'; return; }
            outputs "$props" given; own=$encoded
            outputs "$state" result
            reply "{\"props\":$own,\"state\":$encoded}" ;;
        update)
            take "$props" /params/nextProps && run "${resource}_update" "$object_id" || { refuse -32000 "$problem"; return; }
            outputs "$state" result
            reply "{\"state\":$encoded}" ;;
        delete)
            given=()
            run "${resource}_delete" "$object_id" || { refuse -32000 "$problem"; return; }
            reply '{"done":true}' ;;
    esac
}

call_tool() {
    local name=${value[/params/name]-} text
    case ${offered[$name]-} in function | action) ;; *) refuse -32602 "there is no tool $name"; return ;; esac
    if perform "$name" /params/arguments; then
        if [[ ${offered[$name]} == function ]]; then
            text=${result[returned]-} encoded="{\"result\":$encoded}"
        else
            text=$encoded
        fi
        quote "$text"
        reply "{\"content\":[{\"type\":\"text\",\"text\":$quoted}],\"structuredContent\":$encoded}"
    elif (( is_refused )); then
        refuse -32602 "$problem"
    else
        quote "$problem"
        reply "{\"content\":[{\"type\":\"text\",\"text\":$quoted}],\"isError\":true}"
    fi
}

json_rpc() { # method
    local name
    case $1 in
        health) reply '{"ok":true}' ;;
        create | read | update | delete | modifyPlan) manage_resource "$1" ;;
        call)
            name=${value[/params/name]-}
            if [[ ${offered[$name]-} != function ]]; then refuse -32602 "there is no function $name"
            elif perform "$name" /params/arguments; then reply "{\"result\":$encoded}"
            else refuse -32000 "$problem"; fi ;;
        invoke)
            if (( ${#actions[@]} != 1 )); then refuse -32601 "this plugin has ${#actions[@]} actions; denobridge uses the only one"
            elif perform "${actions[0]}" /params/props; then reply '{"done":true}'
            else refuse -32000 "$problem"; fi ;;
        initialize)
            local version=2025-06-18
            case ${value[/params/protocolVersion]-} in 2024-11-05 | 2025-03-26 | 2025-11-25) version=${value[/params/protocolVersion]} ;; esac
            quote "$plugin_name"; name=$quoted
            quote "$plugin_version"
            reply "{\"protocolVersion\":\"$version\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":$name,\"version\":$quoted}}" ;;
        ping) reply '{}' ;;
        tools/list) tools; reply "{\"tools\":[$tools]}" ;;
        tools/call) call_tool ;;
        *)
            case ${offered[$1]-} in
                function | action)
                    if perform "$1" /params; then reply "$encoded"
                    elif (( is_refused )); then refuse -32602 "$problem"
                    else refuse -32000 "$problem"; fi ;;
                *) not_found "$1" ;;
            esac ;;
    esac
}

handle() { # line
    id=null
    if ! read_json "$1"; then
        refuse -32700 "$problem"
        return
    fi
    if [[ ${kind_of[/]-} == array ]]; then
        refuse -32600 'this plugin takes no batches; send each message in a line of its own'
        return
    fi
    local method=${value[/method]-}
    case ${kind_of[/id]-} in
        number) id=${value[/id]} ;;
        string) quote "${value[/id]}"; id=$quoted ;;
    esac
    if [[ -z ${kind_of[/jsonrpc]-} ]]; then orchard "$method"
    elif [[ $id == null ]]; then [[ $method != shutdown && $method != exit ]] || exit 0
    else json_rpc "$method"; fi
}

# A host that speaks msgpack is told so in its own form: an error of the first request, which is [0, id, "init", ...].
refuse_msgpack() {
    local LC_ALL=C number text='this plugin speaks JSON only: bash cannot read msgpack'
    # The NUL byte between is dropped.
    IFS= read -r -n 1 number
    local length
    printf -v length '\\x%02x' "${#text}"
    # [1, id, [-32601, text], nil]
    printf "\\x94\\x01%s\\x92\\xd1\\x80\\xa7\\xd9$length%s\\xc0" "$number" "$text" >&"$protocol"
    echo "$text" >&2
    exit 1
}

serve() { # argument...
    case $#,${1-} in
        0,) ;;
        1,schema) orchard_schema; printf '%s\n' "$schema"; exit 0 ;;
        *) printf 'usage: %s           speak to a host on stdin and stdout\n       %s schema    print the actions\n' "$plugin_name" "$plugin_name" >&2; exit 2 ;;
    esac
    exec {protocol}>&1 1>&2
    local first line
    LC_ALL=C IFS= read -r -n 1 first || exit 0
    case $first in
        '' | [[:space:]]) ;;
        '{' | '[') ;;
        C) echo "$plugin_name: messages with Content-Length are not supported; send one per line" >&2; exit 1 ;;
        *) refuse_msgpack ;;
    esac
    while IFS= read -r line || [[ -n $line ]]; do
        line=$first$line first=
        [[ $line =~ ^[[:space:]]*$ ]] || handle "$line"
    done
    exit 0
}

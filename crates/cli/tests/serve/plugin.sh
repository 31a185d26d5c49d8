# A plugin in sh, for which JSON is text: it answers every call, and knows one method.
while IFS= read -r line; do
    id=$(printf '%s\n' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    case $line in
    *'"method":"greet"'*) rest='"result":"grüße from sh"' ;;
    *) rest='"error":{"code":-32601,"message":"I can only greet","data":[1]}' ;;
    esac
    [ -z "$id" ] || printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$rest"
done

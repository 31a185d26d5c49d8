-- A Seasonings plugin in Neovim's Lua, with the msgpack library that is built into Neovim:
--
--     nvim --headless -u NONE -i NONE -n -c 'luafile neovim_plugin.lua'
--
-- That library writes numbers that fit as floats of 32 bits, and empty tables as arrays.

local mpack = vim.mpack
local Ext = {}
local function ext(code, data)
  return setmetatable({ code = code, data = data }, Ext)
end
local pack = mpack.Packer({ ext = {
  [Ext] = function(value)
    return value.code, value.data
  end,
} })
local unpack_next = mpack.Unpacker({ ext = { [0] = ext, [12] = ext } })

local functions = {
  eval = {
    summary = "Evaluates an expression of Vim.",
    parameters = { { name = "expression", type = "string" } },
    returns = "any",
  },
  same_text = {
    parameters = { { name = "text", type = "string", allow_null = true, allow_unknown = true } },
    returns = "string",
  },
  total = { variadic = { name = "numbers", type = "number" }, returns = "number" },
}

local methods = {
  init = function()
    local version = vim.version()
    return {
      name = "neovim",
      version = ("%d.%d"):format(version.major, version.minor),
      capabilities = { "functions", "hooks.post-plan" },
    }
  end,
  ["functions/getSchema"] = function()
    return { functions = functions }
  end,
  ["functions/call"] = function(params)
    local arguments = params.arguments
    if params.name == "eval" then
      local ok, result = pcall(vim.fn.eval, arguments.expression)
      if not ok then
        error({ -32000, result, { argument = "expression" } })
      end
      return { result = result }
    elseif params.name == "same_text" then
      return { result = arguments.text }
    end
    local total = 0
    for _, number in ipairs(arguments.numbers) do
      total = total + tonumber(number)
    end
    return { result = total }
  end,
  ["middleware/postPlan"] = function(params)
    local is_unknown = getmetatable(params.after.id) == Ext
    return { status = is_unknown and "ok" or "fail", message = params.address }
  end,
  shutdown = function()
    return {}
  end,
}

local function answer(method, params)
  local handler = methods[method]
  if not handler then
    return { -32601, "Method not found" }, mpack.NIL
  end
  local ok, result = pcall(handler, params[1] or {})
  if ok then
    return mpack.NIL, result
  elseif type(result) == "table" then
    return result, mpack.NIL
  end
  return { -32603, tostring(result) }, mpack.NIL
end

-- The next message: its bytes are taken one by one, and the unpacker says when they are enough.
local function receive()
  while true do
    local byte = io.stdin:read(1)
    if not byte then
      return nil
    end
    local message = unpack_next(byte)
    if message ~= nil then
      return message
    end
  end
end

for message in receive do
  if message[1] == 0 then
    local problem, result = answer(message[3], message[4])
    io.stdout:write(pack({ 1, message[2], problem, result }))
    io.stdout:flush()
    if message[3] == "shutdown" then
      break
    end
  end
end
vim.cmd("qall!")

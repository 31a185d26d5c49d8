-- Neovim as a client of `tenon echo`:
--
--     nvim --headless -u NONE -i NONE -c 'luafile neovim_client.lua'
--
-- A failed assertion ends Neovim with an exit status of 1.

local function check()
  local function call(channel, method, ...)
    return vim.fn.rpcrequest(channel, method, ...)
  end

  local function refused(channel, method, ...)
    local ok, problem = pcall(vim.fn.rpcrequest, channel, method, ...)
    assert(not ok, method .. " should have been refused")
    return problem
  end

  local function same(actual, expected)
    assert(vim.deep_equal(actual, expected), vim.inspect(actual))
  end

  local asked = {}
  -- What the plugin calls: functions of the global table, by name, through nvim_exec_lua.
  function _G.ask(params)
    table.insert(asked, params)
    -- The plugin waits for us; it has to answer us all the same.
    return call(_G.channel, "add", 20, 22)
  end

  for _, arguments in ipairs({ { "--dialect", "msgpack-rpc" }, {} }) do
    local command = vim.list_extend({ vim.env.TENON, "echo" }, arguments)
    local ended = {}
    local channel = vim.fn.jobstart(command, {
      rpc = true,
      on_exit = function(_, status)
        table.insert(ended, status)
      end,
    })
    assert(channel > 0, "it could not be started")
    _G.channel = channel
    asked = {}

    same(call(channel, "add", 1, 2), 3)
    same(call(channel, "echo", { a = { 1, "é", vim.NIL } }), { { a = { 1, "é", vim.NIL } } })
    same(call(channel, "echo"), {})
    same(call(channel, "text", { length = 3 }), "xxx")
    same(#call(channel, "text", { length = 1000000 }), 1000000)

    -- Neovim shows the text of a code 0 or 1, its own two kinds of errors, and of no other.
    refused(channel, "nope")
    for code = 0, 1 do
      local problem = refused(channel, "fail", { code = code, message = "as asked" })
      assert(problem:find("as asked", 1, true), problem)
    end

    for number = 0, 99 do
      vim.fn.rpcnotify(channel, "tick", { number = number })
    end
    same(call(channel, "ticks"), { count = 100, in_order = true })

    -- A call inside a call inside a call.
    local back = { method = "nvim_exec_lua", params = { "return _G.ask(...)", { { x = 1 } } } }
    same(call(channel, "call_back", back), 42)
    same(asked, { { x = 1 } })

    -- It ends by itself once its stdin does.
    vim.fn.chanclose(channel)
    vim.wait(5000, function()
      return #ended > 0
    end)
    same(ended, { 0 })
  end
end

local ok, problem = pcall(check)
if not ok then
  io.stderr:write(tostring(problem) .. "\n")
  vim.cmd("cquit 1")
end
vim.cmd("qall!")

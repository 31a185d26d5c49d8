-- Neovim as the host of the Seasonings plugins in examples/seasonings/python:
--
--     EXAMPLES=examples/seasonings/python nvim --headless -u NONE -i NONE -c 'luafile neovim_host.lua'
--
-- A failed assertion ends Neovim with an exit status of 1.

local function same(actual, expected)
  assert(vim.deep_equal(actual, expected), vim.inspect(actual))
end

local function start(name, ...)
  local ended = {}
  local command = { "python3", vim.env.EXAMPLES .. "/" .. name, ... }
  local channel = vim.fn.jobstart(command, {
    rpc = true,
    on_exit = function(_, status)
      table.insert(ended, status)
    end,
  })
  assert(channel > 0, name .. " could not be started")
  local plugin = {}
  function plugin.call(method, ...)
    return vim.fn.rpcrequest(channel, method, ...)
  end
  function plugin.refused(method, ...)
    local ok = pcall(vim.fn.rpcrequest, channel, method, ...)
    assert(not ok, method .. " should have been refused")
  end
  function plugin.notify(method, ...)
    vim.fn.rpcnotify(channel, method, ...)
  end
  function plugin.shut_down()
    -- Neovim may close the channel of a process that has ended before it has read the last answer.
    pcall(vim.fn.rpcrequest, channel, "shutdown")
    plugin.ends()
  end
  function plugin.ends()
    vim.wait(10000, function()
      return #ended > 0
    end)
    same(ended, { 0 })
  end
  -- One table arrives as an array of one map, and no arguments as an empty array.
  local greeting = { protocol_version = 1, host = { name = "neovim", version = "0" }, capabilities = { "hooks" } }
  plugin.welcome = plugin.call("init", greeting)
  same(plugin.welcome.protocol_version, 1)
  return plugin
end

local function check()
  local notes = start("notes.py")
  same(notes.welcome.name, "notes")
  same(notes.call("ping"), { status = "ok" })
  local schema = notes.call("functions/getSchema").functions
  same(schema.slug.returns, "string")
  local slug = { name = "slug", arguments = { text = "Über Größe", separator = "-" } }
  same(notes.call("functions/call", slug), { result = "ber-gr-e" })
  notes.refused("functions/call", { name = "slug", arguments = { text = "", separator = "-" } })
  notes.refused("later/method")
  -- An event that the plugin does not know does nothing.
  notes.notify("$/cancel", { id = 1 })

  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder)
  same(notes.call("resources/configure", { config = { folder = folder } }), vim.empty_dict())
  local planned = { title = "a", text = "one two", tags = vim.NIL, extra = vim.NIL, link = {} }
  local created = notes.call("resources/applyChange", { type = "note", prior = vim.NIL, planned = planned }).state
  same(created.words, 2)
  same(notes.call("resources/read", { type = "note", state = created }).state, created)
  same(notes.call("resources/readData", { type = "count", config = { prefix = "a" } }).state, { notes = 1 })
  notes.call("resources/applyChange", { type = "note", prior = created, planned = vim.NIL })
  same(notes.call("resources/read", { type = "note", state = created }).state, vim.NIL)
  notes.shut_down()

  local cost = start("cost.py")
  local plan = { address = "a.b", after = { input = { size = "large" } } }
  same(cost.call("middleware/postPlan", plan).status, "warning")
  -- The end of its stdin ends a plugin as well, and so does the event.
  cost.notify("shutdown")
  cost.ends()

  local store = start("store.py", folder)
  same(store.call("storage/read", { path = "default" }), { state = vim.NIL })
  local info = vim.fn.json_encode({ ID = "1" })
  local lock = store.call("storage/lock", { path = "default", operation = "plan", info = info }).lockId
  same(store.call("storage/lock", { path = "default", operation = "plan", info = info }).lockId, lock)
  store.refused("storage/lock", { path = "default", operation = "plan", info = '{"ID":"2"}' })
  store.refused("storage/unlock", { path = "default", lockId = "other" })
  same(store.call("storage/unlock", { path = "default", lockId = lock }), { success = true })
  same(store.call("storage/list"), { paths = {} })
  store.refused("storage/read", { path = "../secret" })
  store.shut_down()
end

local ok, problem = pcall(check)
if not ok then
  io.stderr:write(tostring(problem) .. "\n")
  vim.cmd("cquit 1")
end
vim.cmd("qall!")

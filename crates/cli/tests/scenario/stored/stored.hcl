scenario "stored" {
  required_providers {
    exec = { source = "builtin/exec" }
  }

  variable "token" {
    sensitive = true
    default   = "hunter2"
  }

  action "exec_run" "one" {
    command = "echo"
    args    = ["one", var.token]

    lifecycle {
      teardown {
        command = "touch"
        args    = ["one_is_undone"]
      }
    }
  }

  action "exec_run" "two" {
    depends_on = [action.exec_run.one]
    command    = "sh"
    args       = ["-c", "test -e gate || sleep 60"]
  }
}

# The first scenario: a small shop in a SQLite database, and a greeting.
#
#   tenon plan examples/hello/hello.hcl     checks it and shows what would be done
#   tenon run examples/hello/hello.hcl      runs it, and writes a record

scenario "hello" {
  description = "A shop with three products, and a greeting"
  tags        = ["demo"]

  required_providers {
    sqlite = { source = "builtin/sqlite" }
    exec   = { source = "builtin/exec" }
  }

  variable "name" {
    type        = string
    default     = null
    description = "Whom to greet, if not the user"
  }

  # An in-memory database: it exists only while the provider runs.
  provider "sqlite" {
    path = ":memory:"
  }

  locals {
    products = {
      chisel = 24.90
      mallet = 31
      saw    = 42.50
    }
  }

  action "sqlite_script" "schema" {
    script = "CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, price REAL);"
  }

  # One action per product. `params` are sent to the database separately from the query, so that no
  # name can break it.
  action "sqlite_query" "product" {
    for_each   = local.products
    depends_on = [action.sqlite_script.schema]

    query  = "INSERT INTO products (name, price) VALUES (?, ?) RETURNING id"
    params = [each.key, each.value]
  }

  # A program that Unix and Windows have under the same name. Nothing connects it with the others, so it runs beside them.
  action "exec_run" "user" {
    command = "whoami"
  }

  locals {
    name = coalesce(var.name, trimspace(action.exec_run.user.stdout))
  }

  # It uses the outputs of actions, so it comes after them.
  output "greeting" {
    value = "hello, ${local.name}: ${length(action.sqlite_query.product)} products are on the shelf"

    assert {
      condition = startswith(self.value, "hello, ")
      message   = "the output is not a greeting"
    }
  }
}

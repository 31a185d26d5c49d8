# A merchant with two customers, in a SQLite database beside this file.
#
#   tenon plan scenarios/hello.hcl     checks it and shows what would be done
#   tenon run scenarios/hello.hcl      runs it
#   tenon teardown RECORD              undoes the run

scenario "hello" {
  description = "A merchant with two customers"
  tags        = ["demo"]

  required_providers {
    sqlite = { source = "builtin/sqlite" }
    exec   = { source = "builtin/exec" }
  }

  variable "city" {
    type        = string
    default     = "Ghent"
    description = "Where the merchant lives"
  }

  provider "sqlite" {
    path = "hello.db"
  }

  action "sqlite_script" "schema" {
    script = <<-SQL
      CREATE TABLE IF NOT EXISTS merchants (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
      CREATE TABLE IF NOT EXISTS customers (id INTEGER PRIMARY KEY, name TEXT, merchant INTEGER);
    SQL
  }

  component "merchant" "anna" {
    source     = "../components/merchant.hcl"
    depends_on = [action.sqlite_script.schema]
    inputs = {
      name = "Anna"
      city = var.city
    }
  }

  action "sqlite_query" "customer" {
    for_each = toset(["Ben", "Cleo"])

    query  = "INSERT INTO customers (name, merchant) VALUES (?, ?) RETURNING id"
    params = [each.key, component.merchant.anna.id]

    lifecycle {
      teardown {
        query  = "DELETE FROM customers WHERE id = ?"
        params = [self.id]
      }
    }
  }

  action "exec_run" "greet" {
    command = "echo"
    args    = ["merchant ${component.merchant.anna.id} has ${length(action.sqlite_query.customer)} customers"]
  }

  output "greeting" {
    value = trimspace(action.exec_run.greet.stdout)

    assert {
      condition = endswith(self.value, "2 customers")
      message   = "there should be two customers"
    }
  }
}

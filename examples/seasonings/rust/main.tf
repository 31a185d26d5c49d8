# Notes in a folder, by a provider in Rust.
#
#     cargo build -p tenon-plugin --example notes
#     tenon provider pack notes --write-config -- target/debug/examples/notes
#     terraform init && terraform apply

terraform {
  required_providers {
    notes = {
      source = "tenon/notes"
    }
  }
}

provider "notes" {
  folder = path.module
}

resource "notes_note" "shopping" {
  title = "shopping"
  text  = "milk, bread"
  tags  = { list = provider::notes::slug("To Buy") }

  link {
    url = "https://example.com"
  }
}

data "notes_count" "all" {
  depends_on = [notes_note.shopping]
}

output "words" {
  value = provider::notes::total(notes_note.shopping.words, 0)
}

output "notes" {
  value = data.notes_count.all.notes
}

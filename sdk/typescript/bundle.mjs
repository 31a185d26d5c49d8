// Makes dist/ out of what tsc compiled into build/: a few files instead of sixty, which a runtime loads in a fraction of the
// time. The names of all modules of a bundle share one scope, so that they must differ; a name that is declared twice is an error
// when the bundle is checked.
//
//     node bundle.mjs            writes dist/
//     node bundle.mjs --check    fails if dist/ is not what would be written

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const build = join(here, "build");
const dist = join(here, "dist");
/**
 * What each bundle is made of, the file that it is in, and the files that offer parts of it. The first part is offered by the
 * file itself: one file less to load.
 */
const BUNDLES = {
  core: { entry: "core", file: "index", doors: ["index", "denobridge", "testing"] },
  ipc: { entry: "ipc/mod", file: "ipc", doors: [] },
};
const HEADER = "// Made by bundle.mjs out of src/. Do not edit.\n";

const FROM = /^(?:import|export)\s[^;]*?from\s+"([^"]+)";\n?/gm;
const NODE_IMPORT = /^import\s+(?!type)([^;]*?)\s+from\s+"(node:[^"]+)";\n?/gm;

const read = (file) => readFileSync(join(build, file), "utf8");

/** The modules that an entry needs, each after those that it needs itself. */
function modules(entry, extension) {
  const found = [];
  const seen = new Set();
  const visit = (file) => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = read(file + extension);
    for (const [, name] of text.matchAll(FROM)) {
      if (name.startsWith(".")) visit(normalize(join(dirname(file), name.replace(/\.(js|ts)$/, ""))));
    }
    found.push({ file, text: ownHelpers(text, found.length) });
  };
  visit(entry);
  return found;
}

/** The compiler calls its own variables `_a`, `_b`, ... in every module. */
function ownHelpers(text, number) {
  const helpers = [...text.matchAll(/^var (_[a-z](?:, _[a-z])*);$/gm)].flatMap(([, names]) => names.split(", "));
  return helpers.reduce((all, name) => all.replaceAll(new RegExp(`\\b${name}\\b`, "g"), `${name}${number}`), text);
}

/** The names behind `export { a, b as c } from` of a file: what is offered, and what it is inside. */
function offered(file, extension) {
  const text = read(file + extension);
  const lists = text.matchAll(/^export (?:type )?\{([^}]*)\}(?: from "[^"]+")?;/gm);
  return [...lists].flatMap(([, names]) =>
    names.split(",").map((name) => name.replace(/^\s*type\s+/, "").trim()).filter(Boolean)
  );
}

/** The names that a module declares for others. */
function declared({ text }) {
  const found = text.matchAll(
    /^export (?:declare )?(?:abstract )?(?:async )?(?:class|function\*?|const|let|interface|type) ([A-Za-z_$][\w$]*)/gm,
  );
  return [...found].map(([, name]) => name);
}

/** Two modules must not declare the same name, nor import one under another name. */
function checkNames(bundle, all) {
  const owners = new Map();
  for (const { file, text } of all) {
    const names = [
      ...text.matchAll(
        /^(?:export )?(?:declare )?(?:async )?(?:class|function\*?|const|let|var|interface|type) ([A-Za-z_$][\w$]*)/gm,
      ),
    ].map(([, name]) => name);
    for (const name of new Set(names)) owners.set(name, [...(owners.get(name) ?? []), file]);
    for (const [line] of text.matchAll(/^import \{[^}]* as [^}]*\} from "\.[^"]*";/gm)) {
      throw new Error(`${file}: an import must not rename: ${line}`);
    }
  }
  const twice = [...owners].filter(([, files]) => files.length > 1).map(([name, files]) =>
    `${name} (${files.join(", ")})`
  );
  if (twice.length > 0) throw new Error(`${bundle}: names that are declared twice: ${twice.join("; ")}`);
}

function joined(all, extension) {
  const imports = new Map();
  const bodies = all.map(({ file, text }) => {
    for (const [, names, from] of text.matchAll(NODE_IMPORT)) {
      imports.set(from, (imports.get(from) ?? new Set()).add(names.trim()));
    }
    for (const [, names, from] of text.matchAll(/^import type ([^;]*?) from "(node:[^"]+)";\n?/gm)) {
      imports.set(from, (imports.get(from) ?? new Set()).add(names.trim()));
    }
    let body = text.replace(FROM, "").replace(/^export \{\};\n?/gm, "").replace(/^\/\/# source.*\n?/gm, "");
    body = body.replace(
      /^export (?=(?:declare |abstract |async )?(?:class|function|const|let|interface|type|abstract)\b)/gm,
      "",
    );
    // Comments are for readers of src/ and of the types; a runtime only loads them.
    if (extension === ".js") body = body.replace(/^\s*\/\*\*?[^]*?\*\/\n/gm, "").replace(/^\s*\/\/.*\n/gm, "");
    if (extension === ".d.ts") {
      body = body.replace(/import\("\.[^"]+"\)\./g, "").replace(
        /^(?=(?:class|function|const|let|interface|type|abstract) )/gm,
        "declare ",
      ).replace(/^declare (?=interface|type)/gm, "");
    }
    return `// ${file}\n${body.trim()}\n`;
  });
  return { imports, body: bodies.join("\n") };
}

function importLines(imports, isCommon) {
  return [...imports].sort(([a], [b]) => (a < b ? -1 : 1)).map(([from, forms]) => {
    const names = new Set();
    let whole;
    for (const form of forms) {
      const list = /^\{([^}]*)\}$/.exec(form)?.[1];
      if (list === undefined) whole = form;
      else for (const name of list.split(",")) if (name.trim()) names.add(name.replace(/^\s*type\s+/, "").trim());
    }
    const sorted = [...names].sort().join(", ");
    if (isCommon) {
      const lines = whole === undefined ? [] : [`const ${whole} = require("${from}");`];
      return [
        ...lines,
        ...(sorted === "" ? [] : [`const { ${sorted.replaceAll(" as ", ": ")} } = require("${from}");`]),
      ].join("\n");
    }
    // A global in every runtime; the import would make the streams of stdout and stderr, which takes milliseconds of each start.
    if (from === "node:process") return `const { ${whole} } = globalThis;`;
    const parts = [whole, sorted === "" ? undefined : `{ ${sorted} }`].filter(Boolean).join(", ");
    return `import ${parts} from "${from}";`;
  }).join("\n");
}

const files = new Map();
const list = (names) => names.map((name) => `  ${name},`).join("\n");

for (const [bundle, { entry, file, doors }] of Object.entries(BUNDLES)) {
  for (const extension of [".js", ".d.ts"]) {
    const all = modules(entry, extension);
    const names = doors.length === 0
      ? offered(entry, extension)
      : [...new Set(doors.flatMap((door) => offered(door, extension)))];
    const own = new Set(all.flatMap(declared));
    for (const name of names) {
      const [inside] = name.split(" as ");
      if (!own.has(inside)) throw new Error(`${bundle}${extension} offers ${name}, which nothing declares`);
    }
    checkNames(bundle, all);
    const { imports, body } = joined(all, extension);
    const exported = [...new Set(names)].sort();
    const start = `${HEADER}${importLines(imports, false)}\n\n${body}\n`;
    const text = `${start}export {\n${list(exported)}\n};\n`;
    if (extension === ".js") {
      files.set(`${file}.js`, text);
      const common = exported.map((name) => name.includes(" as ") ? name.replace(/(.*) as (.*)/, "$2: $1") : name);
      files.set(
        `${file}.cjs`,
        `${HEADER}"use strict";\n${importLines(imports, true)}\n\n${body}\nmodule.exports = {\n${list(common)}\n};\n`,
      );
    } else {
      files.set(`${bundle}.d.ts`, text);
      files.set(`${bundle}.d.cts`, text);
    }
  }
  for (const door of doors) {
    const names = offered(door, ".js").sort();
    const types = offered(door, ".d.ts").sort();
    if (door !== file) {
      files.set(`${door}.js`, `${HEADER}export {\n${list(names)}\n} from "./${file}.js";\n`);
      files.set(
        `${door}.cjs`,
        `${HEADER}"use strict";\nconst all = require("./${file}.cjs");\n${
          names.map((name) => `exports.${name} = all.${name};`).join("\n")
        }\n`,
      );
    }
    files.set(`${door}.d.ts`, `${HEADER}export {\n${list(types)}\n} from "./${bundle}.js";\n`);
    files.set(`${door}.d.cts`, `${HEADER}export {\n${list(types)}\n} from "./${bundle}.cjs";\n`);
  }
}

if (process.argv.includes("--check")) {
  const there = existsSync(dist) ? readdirSync(dist) : [];
  const wrong = [...new Set([...there, ...files.keys()])].filter((file) => {
    return !files.has(file) || !there.includes(file) || readFileSync(join(dist, file), "utf8") !== files.get(file);
  });
  if (wrong.length > 0) {
    console.error(`dist/ is not what src/ makes: ${wrong.join(", ")}; run: npm run build`);
    process.exit(1);
  }
} else {
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist);
  for (const [file, text] of files) writeFileSync(join(dist, file), text);
}

import { type Diagnostic, Failure, type Path } from "./failure.ts";

/** What is wrong with a value, and where. */
export interface Problem {
  readonly path: Path;
  readonly text: string;
  /** The text names the last step of the path itself. */
  readonly isNamed?: boolean;
}

/** `at .servers[2].port: a number is required`, as Orchard's errors have it. */
export function problemText({ path, text, isNamed }: Problem): string {
  const place = isNamed === true ? path.slice(0, -1) : path;
  return place.length === 0 ? text : `at ${pathText(place)}: ${text}`;
}

/** `servers.2.port: a number is required`. */
export function plainProblemText({ path, text }: Problem): string {
  return path.length === 0 ? text : `${path.join(".")}: ${text}`;
}

function pathText(path: Path): string {
  return path.map((step) => {
    if (typeof step === "number") return `[${step}]`;
    return /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
  }).join("");
}

/** All problems in one line. */
export function problemsText(problems: readonly Problem[]): string {
  return problems.map(problemText).join("; ");
}

/** A problem as what Terraform shows at an attribute. */
export function problemDiagnostic({ path, text }: Problem, summary: string): Diagnostic {
  return { severity: "error", summary, detail: text, path };
}

/** What a host sent does not fit what the author declared. */
export class Unfit extends Failure {
  override name = "Unfit";
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const [first = { path: [], text: "invalid value" }] = problems;
    super(first.text, { path: first.path }, problems.map((one) => problemDiagnostic(one, "invalid value")));
    this.problems = problems;
  }
}

/** Whether what a host sent is at fault. */
export function isUnfit(error: unknown): error is Unfit {
  return error instanceof Unfit;
}

/** How many letters must be added, left out, changed or swapped with their neighbour. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + changed);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

/** The name that was probably meant: one mistake in three letters is a slip. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  // Comparing takes time, and no name this long is a spelling mistake.
  if (name.length > 200) return undefined;
  const most = Math.floor(Math.max(name.length, 3) / 3);
  const near = candidates
    .map((candidate) => ({ candidate, mistakes: distance(name, candidate) }))
    .filter(({ mistakes }) => mistakes <= most && mistakes < name.length)
    .sort((a, b) => a.mistakes - b.mistakes || (a.candidate < b.candidate ? -1 : 1));
  return near[0]?.candidate;
}

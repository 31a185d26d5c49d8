const SECRET: unique symbol = Symbol.for("tenon.secret") as never;

/** A value that is not printed: not by `console.log`, not as a text, not as JSON. */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  get [SECRET](): true {
    return true;
  }

  /** The value itself. */
  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return "***";
  }

  toJSON(): string {
    return "***";
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "Secret ***";
  }
}

/** A value that Terraform passes to the plugin and stores nowhere. */
export class WriteOnly<T> extends Secret<T> {}

/** Whether a value is a {@link Secret}. */
export function isSecret(value: unknown): value is Secret<unknown> {
  return typeof value === "object" && value !== null && (value as Secret<unknown>)[SECRET] === true;
}

/** The value inside a {@link Secret}; any other value as it is. */
export function revealed(value: unknown): unknown {
  return isSecret(value) ? value.reveal() : value;
}

/** A value, or a promise of one. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Goes on with a value: at once if it is there, later if it is a promise. A small call takes no longer than the promises that it
 * would otherwise be made of.
 */
export function proceed<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}

/** All values, once the last of them is there. */
export function allOf<T>(values: readonly Awaitable<T>[]): Awaitable<T[]> {
  return values.some(isPromise) ? Promise.all(values) : (values as T[]);
}

/** Whether a value is a promise, of this or another library. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

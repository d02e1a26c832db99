/**
 * The same error with another `cause`, or with other values in some of its fields. A copy: other calls may throw the same
 * instance, it may be frozen, and it may be a cause of its new cause.
 */
export function errorCopy<E extends Error>(
  error: E,
  { cause, ...fields }: Readonly<Record<string, unknown>>,
): E {
  // Of a real error, so that inspectors take it for one.
  const copy: E = Object.setPrototypeOf(new Error(), Object.getPrototypeOf(error))
  const changed = Object.entries(fields).map(([name, value]) => [name, { value, enumerable: true }])
  return Object.defineProperties(copy, {
    ...Object.getOwnPropertyDescriptors(error),
    ...Object.fromEntries(changed),
    // In newer versions of V8 the stack is behind an accessor that answers for the original alone.
    stack: hidden(error.stack),
    ...(cause !== undefined && { cause: hidden(cause) }),
  })
}

function hidden(value: unknown): PropertyDescriptor {
  return { value, writable: true, configurable: true, enumerable: false }
}

/** Runs `act`, waits for what it left behind, and gives every rejection that nobody handled. */
export async function unhandledRejectionsDuring(act: () => Promise<void>): Promise<readonly unknown[]> {
  const rejections: unknown[] = []
  const listener = (reason: unknown) => void rejections.push(reason)
  process.on('unhandledRejection', listener)
  try {
    await act()
    // Node reports a rejection when the microtasks have run dry: before the second turn at the latest.
    await new Promise(setImmediate)
    await new Promise(setImmediate)
  } finally {
    process.off('unhandledRejection', listener)
  }
  return rejections
}

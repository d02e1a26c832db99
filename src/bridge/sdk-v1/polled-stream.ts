export interface PolledStreamOptions {
  /** Sent before all else. */
  readonly head: string
  readonly closeAfterMs?: number
  /** Asked when it is time to close. */
  readonly mayClose: () => boolean
}

/** The stream with something before it, closed early if it lasts: what comes later is read when its client comes back. */
export function polledStream(
  body: ReadableStream<Uint8Array>,
  { head, closeAfterMs, mayClose }: PolledStreamOptions,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let timer: NodeJS.Timeout | undefined
  let isOver = false

  /** Whether it was not over before. */
  function end(): boolean {
    clearTimeout(timer)
    const wasOver = isOver
    isOver = true
    return !wasOver
  }

  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (head !== '') controller.enqueue(new TextEncoder().encode(head))
      if (closeAfterMs === undefined) return
      timer = setTimeout(() => {
        if (!mayClose() || !end()) return
        controller.close()
        reader.cancel().catch(() => undefined)
      }, closeAfterMs)
    },
    async pull(controller) {
      const { done, value } = await reader.read().catch((error) => {
        end()
        throw error
      })
      if (!done && !isOver) controller.enqueue(value)
      if (done && end()) controller.close()
    },
    cancel(reason) {
      end()
      return reader.cancel(reason)
    },
  })
}

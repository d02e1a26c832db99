const LINE_FEED = 10
const BYTE_ORDER_MARK = '\ufeff'

export interface LineReaderOptions {
  readonly maxBytes: number
  /** Gets each line that is not blank, without its end and without a byte order mark. */
  readonly onLine: (line: string) => void
  /** Called once for a line that is longer than `maxBytes`, as soon as it is; the line is skipped. */
  readonly onTooLong: () => void
}

/** Makes lines of the chunks of a stream, wherever those are cut. */
export class LineReader {
  readonly #options: LineReaderOptions
  /** Of the line that has not ended: its bytes, none once it is too long, and how many it has had. */
  #chunks: Buffer[] = []
  #size = 0

  constructor(options: LineReaderOptions) {
    this.#options = options
  }

  push(chunk: Buffer): void {
    let rest = chunk
    for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
      this.#extend(rest.subarray(0, end))
      this.end()
      rest = rest.subarray(end + 1)
    }
    if (rest.length > 0) this.#extend(rest)
  }

  /** What has come so far is a line, also without a line feed. */
  end(): void {
    const line = Buffer.concat(this.#chunks).toString()
    this.clear()
    const text = line.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line
    if (text.trim() !== '') this.#options.onLine(text)
  }

  clear(): void {
    this.#chunks = []
    this.#size = 0
  }

  #extend(bytes: Buffer): void {
    const { maxBytes, onTooLong } = this.#options
    const wasTooLong = this.#size > maxBytes
    this.#size += bytes.length
    if (this.#size <= maxBytes) this.#chunks.push(bytes)
    else {
      this.#chunks = []
      if (!wasTooLong) onTooLong()
    }
  }
}

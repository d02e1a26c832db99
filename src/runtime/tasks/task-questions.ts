import type { AskAnswer, AskedQuestion } from '../../registry/ask.js'

interface OpenQuestion {
  readonly question: AskedQuestion
  readonly resolve: (answer: AskAnswer) => void
}

/** What a task asks and has no answer to yet. */
export class TaskQuestions {
  readonly #open = new Map<string, OpenQuestion>()
  /** Keys that were used: none may come again in one task. */
  readonly #used = new Set<string>()
  readonly #onChange: () => void

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  get areOpen(): boolean {
    return this.#open.size > 0
  }

  /** Settles with the answer. When `signal` aborts, nobody waits for it any more. */
  ask(question: AskedQuestion, signal: AbortSignal): Promise<AskAnswer> {
    const key = this.#freshKey(question.key)
    return new Promise((resolve) => {
      this.#open.set(key, { question, resolve })
      this.#onChange()
      const giveUp = () => {
        if (this.#open.delete(key)) this.#onChange()
      }
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  /** Whether any of it answers a question that is open. */
  answer(answers: Readonly<Record<string, unknown>>): boolean {
    const answered = Object.keys(answers).filter((key) => this.#open.has(key))
    for (const key of answered) {
      const open = this.#open.get(key)
      this.#open.delete(key)
      // Whoever has asked checks it.
      open?.resolve(answers[key] as AskAnswer)
    }
    return answered.length > 0
  }

  clear(): void {
    this.#open.clear()
  }

  /** The questions by key, as JSON text. */
  text(): string {
    return JSON.stringify(Object.fromEntries([...this.#open].map(([key, { question }]) => [key, question])))
  }

  /** Of two questions under one key the second gets another: clients take the same key for the same question. */
  #freshKey(wanted: string): string {
    let key = wanted
    for (let count = 2; this.#used.has(key); count++) key = `${wanted}-${count}`
    this.#used.add(key)
    return key
  }
}

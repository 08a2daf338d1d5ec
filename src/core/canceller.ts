import type { Cancel } from './http.ts';

/** A signal for one exchange or one call, and the means to give it. */
export class Canceller implements Cancel {
  aborted = false;
  reason: unknown = undefined;
  readonly #listeners: (() => void)[] = [];

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners.splice(0)) listener();
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.#listeners.includes(listener)) this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners.indexOf(listener);
    if (at !== -1) this.#listeners.splice(at, 1);
  }
}

/** Given when either of two is, until it is let go. */
export function eitherOf(a: Cancel, b: Cancel): { readonly signal: Cancel; dispose(): void } {
  const signal = new Canceller();
  const onA = () => signal.abort(a.reason);
  const onB = () => signal.abort(b.reason);
  if (a.aborted) onA();
  else a.addEventListener('abort', onA);
  if (b.aborted) onB();
  else b.addEventListener('abort', onB);
  return {
    signal,
    dispose() {
      a.removeEventListener('abort', onA);
      b.removeEventListener('abort', onB);
    },
  };
}

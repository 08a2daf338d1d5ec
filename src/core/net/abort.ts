/**
 * The part of AbortSignal that requests need; every AbortSignal satisfies it. On Node 20 a real
 * AbortSignal costs as much as the rest of a request.
 */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(
    type: 'abort',
    listener: () => void,
    options?: { readonly once?: boolean },
  ): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** An abort controller that is its own signal. Much cheaper than AbortController on Node 20. */
export class LightAbortController implements AbortSignalLike {
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

/** A signal that aborts when either of two does; `dispose` removes its listeners. */
export function anySignal(
  a: AbortSignalLike,
  b: AbortSignalLike,
): { readonly signal: AbortSignalLike; dispose(): void } {
  const signal = new LightAbortController();
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

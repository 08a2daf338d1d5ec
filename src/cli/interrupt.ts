import { ERROR_POLICY } from '#core/errors/error-class.ts';

/**
 * Aborts the signal on Ctrl-C until `stop` is called, so that work can end in order. A second
 * Ctrl-C ends the program at once.
 */
export function listenForInterrupt(parent: AbortSignal): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const onParent = () => controller.abort();
  const onInterrupt = () => {
    if (controller.signal.aborted) process.exit(ERROR_POLICY.cancelled.exit);
    controller.abort();
  };
  process.on('SIGINT', onInterrupt);
  if (parent.aborted) onParent();
  else parent.addEventListener('abort', onParent, { once: true });
  return {
    signal: controller.signal,
    stop() {
      process.off('SIGINT', onInterrupt);
      parent.removeEventListener('abort', onParent);
    },
  };
}

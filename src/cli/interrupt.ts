import { ERROR_POLICY } from '#core/error-class.ts';

/** Until `stop`, Ctrl-C aborts the signal so that work can end in order; a second one ends the program at once. */
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

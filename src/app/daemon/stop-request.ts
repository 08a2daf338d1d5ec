import type { Calls } from '#core/calls/calls.ts';
import { STOP_NOW_METHOD, type StopNowAnswer } from './stop-daemon.ts';

/** How clients of the daemon request its stop. */
export interface StopRequest {
  /** Resolves with the reason of the first request. */
  readonly requested: Promise<string>;
  request(reason: string): void;
  /** Whether running calls are interrupted, not finished. */
  isUrgent(): boolean;
  /** The methods of the owner. */
  methods(calls: Pick<Calls, 'load'>): Record<string, () => Promise<StopNowAnswer>>;
}

export function createStopRequest(): StopRequest {
  let resolveFirst: (reason: string) => void = () => undefined;
  let isUrgent = false;
  const requested = new Promise<string>((resolve) => (resolveFirst = resolve));
  const request = (reason: string) => resolveFirst(reason);
  return {
    requested,
    request,
    isUrgent: () => isUrgent,
    methods: (calls) => ({
      async [STOP_NOW_METHOD]() {
        const { running } = calls.load();
        isUrgent = true;
        request('exai stop --now');
        return { calls: running };
      },
    }),
  };
}

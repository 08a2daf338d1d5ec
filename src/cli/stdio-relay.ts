// The second part of `exai stdio`, loaded once its first message is answered.
import { loadWebSocket } from '#app/daemon/load-web-socket.ts';
import { keepAlive, system } from '#app/system.ts';
import type { FirstExchange } from '#client/shim/initialize-first.ts';
import { runShim } from '#client/shim/run-shim.ts';
import { environment } from '#config/environment.ts';
import { CallError } from '#core/errors/call-error.ts';

// The parts that are loaded later share this class, so that `instanceof` works across bundles.
export { CallError };

export async function relay(firstExchange: FirstExchange): Promise<void> {
  try {
    await keepAlive(runShim({ env: environment, firstExchange, loadWebSocket }, system));
    process.exit(0);
  } catch (thrown) {
    const { message, fix, policy } = CallError.from(thrown);
    system.warn(fix === undefined ? message : `${message} ${fix}`);
    process.exit(policy.exit);
  }
}

// The rest of `exai stdio`, loaded when its first message is answered.
import type { Begun } from '#client/shim/run-shim-first.ts';
import { runShim } from '#client/shim/run-shim.ts';
import { loadWebSocket } from '#app/load-web-socket.ts';
import { keepAlive, system } from '#app/system.ts';
import { environment } from '#config/environment.ts';
import { CallError } from '#core/call-error.ts';

// The parts that are loaded later still throw the same class.
export { CallError };

export async function relay(begun: Begun): Promise<void> {
  try {
    await keepAlive(runShim({ env: environment, begun, loadWebSocket }, system));
    process.exit(0);
  } catch (thrown) {
    const { message, fix, policy } = CallError.from(thrown);
    system.warn(fix === undefined ? message : `${message} ${fix}`);
    process.exit(policy.exit);
  }
}

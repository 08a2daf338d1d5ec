// `exai stdio` without options, as IDEs start it: bundled into one file of its own and reached before anything else is
// loaded, because a client waits for it.
import { runShim } from '#app/run-shim.ts';
import { system } from '#app/system.ts';
import { environment } from '#config/environment.ts';
import { CallError } from '#core/call-error.ts';

// The parts that are loaded later throw the same class.
export { CallError };

runShim({ env: environment }, system).then(
  () => process.exit(0),
  (thrown: unknown) => {
    const { message, fix, policy } = CallError.from(thrown);
    system.warn(fix === undefined ? message : `${message} ${fix}`);
    process.exit(policy.exit);
  },
);

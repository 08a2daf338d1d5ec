// `exai stdio` without options, as IDEs start it: reached before anything else is loaded, because a client waits for it.
import { exchangeFirst } from '#client/shim/run-shim-first.ts';
import { environment } from '#config/environment.ts';

exchangeFirst(environment, (begun) => {
  void import('./stdio-relay.ts').then(({ relay }) => relay(begun));
});

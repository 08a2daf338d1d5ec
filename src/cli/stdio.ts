// `exai stdio` without options, as IDEs start it. It is the first code that runs, because a client
// is waiting.
import { runFirstExchange } from '#client/shim/initialize-first.ts';
import { environment } from '#config/environment.ts';

runFirstExchange(environment, (firstExchange) => {
  void import('./stdio-relay.ts').then(({ relay }) => relay(firstExchange));
});

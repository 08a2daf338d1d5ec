/**
 * `npm run contract`: asks the real providers, as far as they are configured, for a little of
 * everything and prints what came of it. With the URLs of `exai emulate` it does the same with the
 * emulator.
 */
import { parseArgs } from 'node:util';
import { keepAlive } from '#app/system.ts';
import { environment } from '#config/environment.ts';
import { loadConfig } from '#config/load/load.ts';
import { CallError } from '#core/errors/call-error.ts';
import { PROVIDER_IDS, type ProviderId } from '#core/llm/provider.ts';
import { runContract, showContract } from '../test/cases/provider-contract.ts';

const USAGE = `Usage: npm run contract -- [options]

Runs the contract tests against the providers whose keys are set (KIMI_API_KEY, GLM_API_KEY,
OPENROUTER_API_KEY), your own server (CUSTOM_API_URL) and the providers that you added. What is not
set is reported as not run. Before the first request it says what all of them cost at most.

Options:
  --model PROVIDER=NAME  Ask this model, for instance kimi=kimi-k3; may be given for each provider
  --cost                 Say what it would cost, and ask nothing
  --json                 Print the results as JSON
  -h, --help             Show this help`;

const { values } = parseArgs({
  options: {
    model: { type: 'string', multiple: true, default: [] },
    cost: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help) console.log(USAGE);
else {
  try {
    const models = Object.fromEntries(values.model.map(readModel));
    const options = {
      models,
      asks: values.cost ? ('nothing' as const) : ('all' as const),
      onCost: (lines: readonly string[]) => console.error(`${lines.join('\n')}\n`),
    };
    const results = await keepAlive(runContract(loadConfig({ env: environment }), options));
    if (!values.cost)
      console.log(values.json ? JSON.stringify({ results }, null, 2) : showContract(results));
    process.exitCode = results.some(({ is }) => is === 'failed') ? 1 : 0;
  } catch (thrown) {
    console.error(CallError.from(thrown).message);
    process.exitCode = 2;
  }
}

function readModel(text: string): readonly [ProviderId, string] {
  const [id, ...name] = text.split('=');
  const provider = PROVIDER_IDS.find((each) => each === id);
  if (provider && name.length > 0) return [provider, name.join('=')];
  throw new CallError('validation', `--model ${text} is not of the form kimi=kimi-k3.`);
}

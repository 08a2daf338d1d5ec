/**
 * `npx tsx scripts/fault-table.ts`: lets every fault befall every provider, then every chain, then
 * the gateway, and prints what came of it as Markdown.
 */
import { runAskFaults } from '../test/cases/ask-fault-run.ts';
import { askFaultCases } from '../test/cases/ask-fault-table.ts';
import { renderAskFaults } from '../test/cases/render-ask-faults.ts';
import { openAskStore } from '../test/cases/ask-under-test.ts';
import { runGatewayFaults } from '../test/cases/gateway-fault-run.ts';
import { gatewayFaultCases } from '../test/cases/gateway-fault-table.ts';
import { renderGatewayFaults } from '../test/cases/render-gateway-faults.ts';
import { differences, faultCases, runFaults } from '../test/cases/provider-fault-run.ts';
import { renderFaults } from '../test/cases/render-provider-faults.ts';

const AT_ONCE = 8;
const CHAINS_AT_ONCE = 24;
const DOORS_AT_ONCE = 16;

async function providerTable(): Promise<number> {
  const cases = faultCases();
  const seen = await runFaults(cases, AT_ONCE);
  console.log(`## One provider\n\n${renderFaults(cases, seen)}`);
  const wrong = cases.filter((each) => {
    const outcome = seen.get(each);
    return !outcome || differences(each.expected, outcome).length > 0;
  });
  console.log(`\n${cases.length} cases, ${cases.length - wrong.length} as expected.`);
  return wrong.length;
}

async function askTable(): Promise<number> {
  const cases = askFaultCases();
  const kept = await openAskStore();
  const seen = await runAskFaults(cases, kept.store, CHAINS_AT_ONCE);
  await kept.close();
  console.log(`\n## Asking, with the whole fallback chain\n\n${renderAskFaults(cases, seen)}`);
  const wrong = cases.filter((each) => seen.get(each)?.wrong.length !== 0);
  console.log(`\n${cases.length} cases, ${cases.length - wrong.length} as expected.`);
  return wrong.length;
}

async function gatewayTable(): Promise<number> {
  const cases = [...gatewayFaultCases('openai'), ...gatewayFaultCases('anthropic')];
  const kept = await openAskStore();
  const seen = await runGatewayFaults(cases, kept.store, DOORS_AT_ONCE);
  await kept.close();
  console.log(`\n## Through the gateway\n\n${renderGatewayFaults(cases, seen)}`);
  const wrong = cases.filter((each) => seen.get(each)?.wrong.length !== 0);
  console.log(`\n${cases.length} cases, ${cases.length - wrong.length} as expected.`);
  return wrong.length;
}

const wrong = (await providerTable()) + (await askTable()) + (await gatewayTable());
process.exitCode = wrong > 0 ? 1 : 0;

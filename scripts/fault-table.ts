/** `npx tsx scripts/fault-table.ts`: lets every fault befall every provider and prints what came of it as Markdown. */
import { differences, faultCases, runFaults } from '../test/cases/provider-fault-run.ts';
import { showFaults } from '../test/cases/provider-fault-words.ts';

const AT_ONCE = 8;

const cases = faultCases();
const seen = await runFaults(cases, AT_ONCE);
console.log(showFaults(cases, seen));
const wrong = cases.filter((each) => {
  const outcome = seen.get(each);
  return !outcome || differences(each.expected, outcome).length > 0;
});
console.log(`\n${cases.length} cases, ${cases.length - wrong.length} as expected.`);
process.exitCode = wrong.length > 0 ? 1 : 0;

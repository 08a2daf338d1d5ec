/**
 * `npm run docs:check`: follows every link of the documentation, looks for phrases to avoid, and
 * runs every command block that is marked `runnable`. `--no-run` leaves the last part out.
 */
import { parseArgs } from 'node:util';
import { checkPages } from './docs/check-pages.ts';
import { listPages } from './docs/list-pages.ts';
import { runBlocks } from './docs/run-blocks.ts';

const { values } = parseArgs({ options: { 'no-run': { type: 'boolean', default: false } } });
const paths = listPages();
const problems = [...checkPages(paths)];
let ran = 0;
if (!values['no-run']) {
  const result = await runBlocks(paths);
  ran = result.ran;
  problems.push(...result.problems);
}
for (const { path, line, problem } of problems) console.error(`${path}:${line}: ${problem}`);
console.log(`${paths.length} pages, ${ran} command blocks run, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);

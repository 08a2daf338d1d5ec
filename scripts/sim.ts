/**
 * `npm run sim -- --seeds N [--from S] [--plant name]`: runs the logical daemon on simulated time,
 * a simulation for each seed, and stops at the first that breaks an invariant. `--seed X` runs one and
 * prints its trace. `--plant` puts a known bug in, to see that it is found.
 */
import { parseArgs } from 'node:util';
import { PLANTS, type PlantName } from '../test/sim/plants.ts';
import { runSeed } from '../test/sim/run-seed.ts';
import { describeFailure, runSeeds } from '../test/sim/run-seeds.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    plant: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});

const USAGE = `Usage: npm run sim -- [options]

Runs the daemon on simulated time, a simulation for each seed, and stops at the first that breaks an invariant.

Options:
  --seeds N     How many seeds to run (default: 1000)
  --from S      The first of them; 1 unless told
  --seed X      Run this one alone and print its trace
  --plant NAME  Put a known bug in, to see that it is found: ${Object.keys(PLANTS).join(', ')}
  -h, --help    Show this help`;

const plant = plantOf(values.plant);
if (values.help) console.log(USAGE);
else if (values.seed === undefined)
  await many(whole('seeds', values.seeds), whole('from', values.from));
else await one(whole('seed', values.seed));

async function many(count: number, from: number): Promise<void> {
  const startedAt = performance.now();
  const { seeds, events, calls, failedSeed } = await runSeeds(from, count, plant);
  const seconds = (performance.now() - startedAt) / 1000;
  const figures = `${seeds} seeds from ${from}, ${calls} calls, ${events} events, ${seconds.toFixed(1)} s`;
  console.log(`${figures}: ${failedSeed === undefined ? 'every invariant held' : 'FAILED'}`);
  if (failedSeed === undefined) return;
  console.log(await describeFailure(failedSeed, plant));
  process.exitCode = 1;
}

async function one(seed: number): Promise<void> {
  const { violation, trace } = await runSeed(seed, plant, 'traced');
  for (const line of trace) console.log(line);
  const ended = violation ? `breaks "${violation.invariant}": ${violation.words}` : 'held';
  console.log(`Seed ${seed} ${ended}.`);
  if (violation) process.exitCode = 1;
}

function whole(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  return refuse(`--${name} must be a whole number`);
}

function plantOf(name: string | undefined): PlantName | undefined {
  if (name === undefined || Object.hasOwn(PLANTS, name)) return name as PlantName | undefined;
  return refuse(`there is no plant ${name}; there are: ${Object.keys(PLANTS).join(', ')}`);
}

function refuse(why: string): never {
  console.error(`npm run sim: ${why}`);
  process.exit(2);
}

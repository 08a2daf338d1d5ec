import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  count,
  faults,
  partition,
  readScenarios,
  type Check,
  type ConformanceRun,
} from './conformance-report.ts';

const check = (id: string, status: Check['status'], errorMessage?: string): Check => ({
  id,
  status,
  description: `what ${id} is about`,
  ...(errorMessage === undefined ? {} : { errorMessage }),
});
const ran = (given: Partial<ConformanceRun>): ConformanceRun => ({
  exitCode: 0,
  scenarios: [{ name: 'ping', checks: [check('ping', 'SUCCESS')] }],
  output: '',
  elapsedMs: 1,
  ...given,
});
const ONE = { scenarios: 1, checks: 1 };

describe('a run of the conformance suite', () => {
  test('is read from a folder for each scenario, with those that left no result', () => {
    const folder = mkdtempSync(join(tmpdir(), 'exai-conformance-report-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const passed = join(folder, 'server-server-sse-polling-2026-11-15T14-24-56-261Z');
    mkdirSync(passed);
    writeFileSync(join(passed, 'checks.json'), JSON.stringify([check('retry', 'SUCCESS')]));
    mkdirSync(join(folder, 'server-json-schema-2020-12-2026-11-15T14-24-56-243Z'));
    expect(readScenarios(folder)).toEqual([
      { name: 'json-schema-2020-12', checks: undefined },
      { name: 'server-sse-polling', checks: [check('retry', 'SUCCESS')] },
    ]);
  });

  test('without faults has none', () => {
    expect(faults(ran({}), ONE)).toEqual([]);
  });

  test('names each check that failed, warned or was passed over, with its scenario and its error', () => {
    const checks = [
      check('first', 'FAILURE', 'no answer'),
      check('second', 'WARNING'),
      check('third', 'SKIPPED', 'nothing to try it on'),
      check('fourth', 'SUCCESS'),
    ];
    const run = ran({ exitCode: 1, scenarios: [{ name: 'caching', checks }] });
    expect(faults(run, ONE)).toEqual([
      'caching: first: FAILURE: no answer',
      'caching: second: WARNING: what second is about',
      'caching: third: SKIPPED: nothing to try it on',
      'the suite ended with exit code 1',
    ]);
  });

  test('that lacks a scenario, a result or a check is at fault though the suite is content', () => {
    const scenarios = [
      { name: 'ping', checks: undefined },
      { name: 'streams', checks: [check('functional', 'INFO'), check('outgoing-request', 'INFO')] },
    ];
    expect(faults(ran({ scenarios }), { scenarios: 3, checks: 84 })).toEqual([
      'ping: began, and left no result',
      '2 scenarios were run instead of 3',
      '0 checks passed instead of 84 (for information: streams: functional: what functional is about)',
    ]);
    expect(count(scenarios)).toEqual({ scenarios: 2, passed: 0, failed: 1 });
  });

  test('that took too long says in which scenario, and one that never began says why', () => {
    const output = '=== Running scenario: ping ===\n=== Running scenario: caching ===\n';
    expect(faults(ran({ exitCode: null, output, elapsedMs: 45_000 }), ONE)).toEqual([
      'the suite was ended after 45000 ms, in caching',
    ]);
    expect(faults(ran({ exitCode: 1, scenarios: [], output: 'no such set\n' }), ONE)).toEqual([
      '0 scenarios were run instead of 1',
      '0 checks passed instead of 1',
      'the suite ended with exit code 1',
      'no such set',
    ]);
  });

  test('does not count what is left out', () => {
    const tasks = { name: 'tasks-lifecycle', checks: [check('created', 'FAILURE')] };
    const ping = { name: 'ping', checks: [check('ping', 'SUCCESS')] };
    const expected = { ...ONE, leftOut: /^tasks-/ };
    expect(partition([tasks, ping], expected)).toEqual({ counted: [ping], others: [tasks] });
    expect(faults(ran({ scenarios: [tasks, ping] }), expected)).toEqual([]);
  });
});

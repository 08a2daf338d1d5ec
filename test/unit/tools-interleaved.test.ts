import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { WORKFLOWS } from '#tools/workflow/definitions/index.ts';
import { benchOf, workspaceOf, type Bench } from '#tools/workflow/workflow.fixture.ts';
import { anyOrder, CONNECTIONS, interleave, type StepCall } from '../cases/tools-interleaved.ts';
import { openThreads, type OpenedThreads } from '../open-threads.ts';
import { verifies } from '../verifies.ts';

let opened: OpenedThreads;
beforeAll(async () => void (opened = await openThreads()));
afterAll(() => opened.close());

const CHANGED = workspaceOf({}, async () => ({
  root: '/project',
  branch: 'main',
  files: [{ path: 'a.ts', change: 'modified', where: 'unstaged' }],
  diffs: [{ name: '[unstaged changes]', text: '+1' }],
  notices: [],
}));

verifies(
  'threads:own-findings',
  '50 workflows of every kind and 20 steps each, interleaved at random over 8 connections and a restart, find what is theirs alone, and so do their experts',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyOrder, async (order) => {
        const benches = new Map<string, Bench>(
          WORKFLOWS.map((each) => [each.name, benchOf(each, opened.threads, CHANGED)]),
        );
        const call: StepCall = async (tool, args) => {
          const bench = benches.get(tool);
          if (!bench) throw new Error(`There is no ${tool}`);
          return bench.call(args);
        };
        const all = await interleave(
          order,
          [...benches.keys()],
          Array.from({ length: CONNECTIONS }, () => call),
          () => opened.reopen(),
        );
        for (const [tool, { asked }] of benches) {
          const judged = asked.map(({ files = [], messages }) => {
            expect(messages).toHaveLength(1);
            const text = files.find(({ name }) => name === '[findings]')?.text ?? '';
            return [...text.matchAll(/^Findings: (.*)$/gm)].map(([, words]) => words);
          });
          const found = all.filter((each) => each.tool === tool).map((each) => each.found);
          const isAsked = WORKFLOWS.some(({ name, expert }) => name === tool && expert === 'asked');
          expect(judged.map(String).toSorted()).toEqual(
            isAsked ? found.map(String).toSorted() : [],
          );
        }
        for (const { id, tool, found, moves } of all) {
          const thread = await opened.threads.open({ principal: 'local', id, about: '' });
          expect(thread.stateOf(tool)).toMatchObject({
            isOver: true,
            steps: found.map((findings, place) => ({ number: place + 1, findings })),
          });
          // Two turns for each move: what was found, and that it was noted or judged.
          expect(thread.history).toHaveLength(moves * 2);
        }
      }),
      { numRuns: 1, endOnFailure: true },
    );
  },
  120_000,
);

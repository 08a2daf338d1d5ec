import type { Migration } from './migrate.ts';

/** The reasoning behind an answer, which some models want back. Turns from before have none. */
export const turnReasoning: Migration = {
  version: 10,
  name: 'turn reasoning',
  up: () => [`alter table turns add column reasoning text not null default ''`],
};

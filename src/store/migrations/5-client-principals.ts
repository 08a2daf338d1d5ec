import type { Migration } from './migrate.ts';

/** What a client keeps is bound to more than its name, which another client may have after it. */
export const clientPrincipals: Migration = {
  version: 5,
  name: 'client principals',
  up: () => [
    `alter table clients add column principal text not null default ''`,
    'update clients set principal = name',
  ],
};

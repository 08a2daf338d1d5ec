import { createSwitches } from '../switches.ts';

/* oxlint-disable-next-line typescript/consistent-type-definitions -- a record of values */
export type ComposioSwitches = {
  /** Toolkits that every user has connected, with commas between. */
  connected: string;
  /** How many tools there are beside those of the seeds. */
  furtherTools: number;
  /** Slugs of tools whose definitions have changed, with commas between. */
  changed: string;
  /** A second slug of a tool, as `OTHER=SLUG`. */
  otherSlug: string;
  /** What the descriptions of changed tools say since. */
  changedText: string;
  /** A repeated upload of the same bytes: another address to write to, or the one that is there. */
  repeatedUpload: 'new' | 'existing';
  storage: 's3' | 'azure_blob_storage';
  /** Lists of results come as lists, or as objects with their positions as names. */
  resultLists: 'list' | 'indexed';
  /** Where results of searches are: in `data`, or in `data.results`. */
  resultPlace: 'data' | 'results';
  /** The threshold of a session is what it wanted, or the vendor's own. */
  offloadThreshold: 'wanted' | 'fixed';
  /** Whether the response of an item of a batch is an object, or its JSON text. */
  innerResponse: 'object' | 'text';
  /** Whether a batch must have `memory`, as in the time of Rube. */
  memoryRequired: boolean;
};

export function createComposioSwitches() {
  return createSwitches<ComposioSwitches>(
    {
      connected: 'gmail,slack,github',
      furtherTools: 0,
      changed: '',
      otherSlug: '',
      changedText: 'It also returns what was deleted.',
      repeatedUpload: 'new',
      storage: 's3',
      resultLists: 'list',
      resultPlace: 'data',
      offloadThreshold: 'wanted',
      innerResponse: 'object',
      memoryRequired: false,
    },
    {
      repeatedUpload: ['new', 'existing'],
      storage: ['s3', 'azure_blob_storage'],
      resultLists: ['list', 'indexed'],
      resultPlace: ['data', 'results'],
      offloadThreshold: ['wanted', 'fixed'],
      innerResponse: ['object', 'text'],
    },
  );
}

import * as z from 'zod';
import { gateway } from './sections/gateway.schema.ts';
import { listening } from './sections/listening.schema.ts';
import { files, lifecycle, place, storage } from './sections/machine.schema.ts';
import { network } from './sections/network.schema.ts';
import { models, patience, providers } from './sections/providers.schema.ts';
import { composio, edgar, log, tracing, vision } from './sections/services.schema.ts';
import {
  breaker,
  budget,
  fallback,
  jobs,
  limits,
  results,
  routing,
  tools,
} from './sections/work.schema.ts';

/** Every setting there is. `Config.parse({})` gives the defaults; nothing is ever absent, an empty text means "none". */
export const Config = z.strictObject({
  ...listening,
  gateway,
  ...storage,
  ...place,
  ...files,
  providers,
  models,
  patience,
  network,
  routing,
  fallback,
  breaker,
  budget,
  limits,
  jobs,
  results,
  tools,
  composio,
  vision,
  edgar,
  log,
  tracing,
  ...lifecycle,
});
export type Config = z.infer<typeof Config>;

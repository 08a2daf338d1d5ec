import * as z from 'zod';
import { EFFORTS } from '#core/llm/chat.ts';
import { PROVIDER_IDS } from '#core/llm/provider.ts';

const id = z.string().regex(/^[a-z0-9][a-z0-9.-]{0,63}$/);
const day = z.iso.date();
const tokens = z.int().min(1).max(100_000_000);
/** Micro-dollars per million tokens; the most expensive model ever listed cost 600 dollars. */
const microUsd = z.int().min(0).max(1_000_000_000);

const range = z
  .strictObject({ min: z.number(), max: z.number() })
  .refine(({ min, max }) => min < max, 'min must be below max');
const limits = z.union([z.literal('fixed'), range]);

/** Properties that the models of one family share. */
const family = z.strictObject({
  tools: z.enum(['no', 'yes']),
  toolChoice: z.enum(['any', 'unless_thinking', 'required_thinking', 'auto']),
  json: z.enum(['none', 'object', 'schema']),
  thinking: z.strictObject({
    control: z.enum(['never', 'switch', 'always']),
    default: z.enum(['on', 'off']),
    efforts: z.array(z.enum(EFFORTS)).readonly(),
    keeps: z.boolean(),
  }),
  firstTokenMs: z.int().min(1000).max(900_000).exactOptional(),
  sampling: z.strictObject({ temperature: limits, topP: limits, penalties: limits }),
  maxStops: z.int().min(0),
  maxStopBytes: z.int().min(1).exactOptional(),
  maxTools: z.int().min(0),
  dynamicTools: z.literal(true).exactOptional(),
});

const price = z
  .strictObject({
    input: microUsd,
    cached: microUsd,
    output: microUsd,
    hourWrite: microUsd.exactOptional(),
  })
  .refine(({ cached, input }) => cached <= input, 'cached must not be dearer than input');

const model = z.strictObject({
  id,
  provider: z.enum(PROVIDER_IDS),
  /** A model of a plan exists only at the plan's address; its names may be those of others. */
  plan: z.literal('coding').exactOptional(),
  title: z.string().min(1),
  family: id,
  state: z.enum(['live', 'retired']),
  since: day.exactOptional(),
  until: day.exactOptional(),
  /** Completes "… is no longer offered (…)", for a retired model without a day. */
  reason: z.string().min(1).exactOptional(),
  successor: id.exactOptional(),
  aliases: z.array(id).readonly(),
  contextTokens: tokens,
  maxOutputTokens: tokens,
  price: price.exactOptional(),
  input: z
    .array(z.enum(['text', 'image', 'video', 'file']))
    .min(1)
    .readonly(),
  /** Only its name is known; its properties are those of its family, or assumed. */
  assumed: z.literal(true).exactOptional(),
  confidence: z.enum(['high', 'medium', 'low']),
  asOf: day,
});

/** Schema of catalogue.json, used only by a test; the program trusts the file it ships with. */
export const catalogueSchema = z.strictObject({
  families: z.record(id, family),
  models: z.array(model).readonly(),
  /** Models that are not for chat, by name and by pattern; never offered for chat. */
  others: z
    .array(
      z.strictObject({
        id,
        provider: z.enum(PROVIDER_IDS),
        use: z.enum(['embedding', 'ocr', 'image', 'speech', 'voice']),
      }),
    )
    .readonly(),
  notChat: z.array(z.string().min(1)).readonly(),
  /** Vendor prefixes of model names at aggregators. */
  vendors: z.partialRecord(z.enum(PROVIDER_IDS), z.array(id).readonly()),
});

export type CatalogueData = z.infer<typeof catalogueSchema>;

import * as z from 'zod';

/** The sources of an answer in its envelope, as `sourceContent` writes them. */
export const SourceShapes = z.array(
  z.strictObject({
    title: z.string(),
    url: z.string(),
    mark: z.string().optional().describe('How the text refers to it.'),
    date: z.string().optional(),
  }),
);

import * as z from 'zod';

/** A group of settings. It may be left out whole: its settings then have their defaults. */
export function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const group = z.strictObject(shape);
  // Every setting has a default, so an empty object is always a valid input; the general type cannot know.
  return group.prefault({} as z.input<typeof group>);
}

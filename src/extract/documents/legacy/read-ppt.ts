import { unsupported } from '../document-errors.ts';
import type { FormatReader } from '../reader.ts';

export const readPpt: FormatReader = () => {
  throw unsupported('this', 'its reader is not built yet');
};

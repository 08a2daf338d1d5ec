import { unsupported } from '../document-errors.ts';
import type { FormatReader } from '../reader.ts';

export const readXls: FormatReader = () => {
  throw unsupported('this', 'its reader is not built yet');
};

import type { DocumentSource, ReadDocument } from '#core/extract/document.ts';
import { damaged, needsPassword, unsupported } from '../../document-errors.ts';
import { ByteView } from '../byte-view.ts';
import { CompoundFile, isCompoundFile } from '../compound-file.ts';
import { decryptAgile } from './agile-encryption.ts';
import { decryptStandard } from './standard-encryption.ts';

const PACKAGE = 'EncryptedPackage';

/** Whether the bytes are an encrypted DOCX, XLSX or PPTX, which is stored in a compound file. */
export function isEncryptedPackage(bytes: Uint8Array): boolean {
  return isCompoundFile(bytes) && hasEncryptedPackage(new CompoundFile(bytes));
}

export function hasEncryptedPackage(file: CompoundFile): boolean {
  return file.find(PACKAGE) !== undefined;
}

/** Decrypts with the password and reads the document inside. */
export async function readEncryptedPackage(
  file: CompoundFile,
  source: DocumentSource,
  format: string,
): Promise<ReadDocument> {
  if (source.password === undefined) throw needsPassword(format, 'missing');
  const decrypted = decryptPackage(file, source.password, format);
  const { readDocument } = await import('../../read-document.ts');
  const { password: _password, ...rest } = source;
  return readDocument(decrypted, rest);
}

/** The bytes of the ZIP file inside. */
export function decryptPackage(file: CompoundFile, password: string, format: string): Uint8Array {
  const info = file.readNamed('EncryptionInfo');
  const content = file.readNamed(PACKAGE);
  if (info === undefined || content === undefined || info.length < 8)
    throw damaged(format, 'it does not say how it is encrypted');
  const view = new ByteView(info, format);
  const sealed = new ByteView(content, format);
  const size = Math.min(sealed.u64(0), content.length - 8);
  const data = content.subarray(8);
  const major = view.u16(0);
  const minor = view.u16(2);
  if (major === 4 && minor === 4)
    return decryptAgile(info.subarray(8), data, size, password, format);
  if (minor === 2 && major >= 2 && major <= 4)
    return decryptStandard(view, data, size, password, format);
  throw unsupported(format, 'its encryption is not known');
}

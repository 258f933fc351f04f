import { randomUUID } from 'node:crypto';
import { DocumentToken, type Look } from '@wheelhouse/contracts';
import type { StoredDocument } from '@wheelhouse/db';

/**
 * Mints the token of one snapshot: 122 random bits, so that nobody can guess a page version (S001-17).
 * What it stands for is the stored document of its tab, and nothing in this process.
 */
export function mintDocumentToken(): DocumentToken {
  return DocumentToken.parse(randomUUID().replaceAll('-', ''));
}

/** What has to be kept of a look, so that its elements can be recognised before they are acted on. */
export function documentOf(look: Look, origin: string | null): StoredDocument {
  return { origin, elements: Object.fromEntries(look.elements.map(({ ref, fingerprint }) => [ref, fingerprint])) };
}

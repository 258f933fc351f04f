import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { callWith, refusalOf, setStage, type Stage } from './stage.ts';
import type { Subject } from './subject.ts';

/** A file that the page sends arrives whole, and stays until it was fetched. */
export function testDownloads(subject: Subject): void {
  if (!subject.declared.downloadCapture.supported) return;
  describe(`${subject.name}: downloads`, () => {
    test('S004-67 a file that a click started arrives byte by byte', async () => {
      await using stage = await setStage(subject);
      const [listed] = await downloaded(stage, 'small');
      expect(listed).toMatchObject({ suggestedFilename: 'small.txt', state: 'finished', sizeBytes: 8 });
      const bytes = await buffer(stage.provider.fetchDownload(stage.tab, listed?.id ?? '', callWith()));
      expect(bytes.toString()).toBe('fixture\n');
    });

    test('a file can be fetched again, and others stay too', async () => {
      await using stage = await setStage(subject);
      await downloaded(stage, 'small');
      const listed = await downloaded(stage, 'nameless', 2);
      const hashes = async () =>
        Promise.all(
          listed.map(async ({ id }) =>
            createHash('sha256')
              .update(await buffer(stage.provider.fetchDownload(stage.tab, id, callWith())))
              .digest('hex'),
          ),
        );
      expect(await hashes()).toEqual(await hashes());
      expect(await stage.provider.listDownloads(stage.tab, callWith())).toHaveLength(2);
    });

    test('S004-22 a file over the bound is refused, not cut', async () => {
      await using stage = await setStage(subject);
      const [listed] = await downloaded(stage, 'nameless');
      const fetched = buffer(stage.provider.fetchDownload(stage.tab, listed?.id ?? '', callWith({ maxBytes: 100 })));
      expect(await refusalOf(fetched)).toMatchObject({ code: 'too_large' });
    });

    test('a file that nobody has is lost', async () => {
      await using stage = await setStage(subject);
      const fetched = buffer(stage.provider.fetchDownload(stage.tab, 'no-such-file', callWith()));
      expect(await refusalOf(fetched)).toMatchObject({ code: 'download_lost' });
    });

    test('S004-67 a torrent is the file that the site sent', async () => {
      await using stage = await setStage(subject);
      const { site, provider, tab } = stage;
      const torrent = site.torrents[0];
      await provider.navigate(
        tab,
        `${site.origin}/download.php?id=${torrent?.id}&passkey=${site.account.passkey}`,
        callWith(),
      );
      await expect.poll(async () => provider.listDownloads(tab, callWith())).toHaveLength(1);
      const [listed] = await provider.listDownloads(tab, callWith());
      const bytes = await buffer(provider.fetchDownload(tab, listed?.id ?? '', callWith()));
      expect(bytes.equals(site.torrentBytes(torrent?.id ?? 0))).toBe(true);
    });
  });
}

/** Clicks the link to a file and waits until the list has `count` files. */
async function downloaded(stage: Stage, name: string, count = 1) {
  await stage.open('/lab/downloads');
  await stage.click(await stage.find('link', name));
  await expect.poll(() => stage.provider.listDownloads(stage.tab, callWith()), { timeout: 10_000 }).toHaveLength(count);
  return stage.provider.listDownloads(stage.tab, callWith());
}

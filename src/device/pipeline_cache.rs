//! The driver's pipeline cache in a file, from one process to the next. The one module of the
//! library that does anything unsafe.

#![allow(unsafe_code, reason = "wgpu takes a driver's data back on trust")]

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use super::gpu::Gpu;
use crate::error::{Error, Result};
use crate::files::Unfinished;

/// What a file begins with, the version of its form last.
const MAGIC: [u8; 8] = *b"zstride\x01";
/// Bytes before the driver's data: the magic and a checksum.
const HEADER: usize = 16;
/// Bytes of the largest file that is written, and read: thousands of kernels.
const MOST_BYTES: u64 = 256 << 20;

/// The driver's cache of compiled kernels, and the file it comes from and goes to.
#[derive(Debug)]
pub(super) struct PipelineCache {
    /// What pipelines are created with.
    pub cache: wgpu::PipelineCache,
    /// What [`save`](Self::save) writes.
    pub file: PathBuf,
    /// The checksum of what the file holds, as far as this process knows. Held while it is written.
    saved: Mutex<Option<u64>>,
}

impl PipelineCache {
    /// The cache of a device whose feature `PIPELINE_CACHE` is enabled, with what the folder holds
    /// of it; `None` elsewhere.
    pub fn open(gpu: &Gpu, folder: &Path) -> Result<Option<Self>> {
        let features = gpu.device.features();
        let name = wgpu::util::pipeline_cache_key(&gpu.info);
        let Some(name) = name.filter(|_| features.contains(wgpu::Features::PIPELINE_CACHE)) else {
            return Ok(None);
        };
        let file = folder.join(name).with_extension("zerostride");
        let data = read(&file);
        let data = data.as_deref();
        // One of another device is refused if its file was given this one's name.
        let cache = create(gpu, data).or_else(|_| create(gpu, None))?;
        Ok(Some(Self {
            cache,
            file,
            saved: Mutex::new(data.map(checksum)),
        }))
    }

    /// Writes what the driver keeps; whether there was anything to write.
    pub fn save(&self) -> Result<bool> {
        let mut saved = self.saved.lock();
        let Some(data) = self.cache.get_data() else {
            return Ok(false);
        };
        let sum = checksum(&data);
        if *saved == Some(sum) || (data.len() + HEADER) as u64 > MOST_BYTES {
            return Ok(false);
        }
        self.replace(&checksummed(&data))
            .map_err(|e| Error::io(&self.file, e))?;
        *saved = Some(sum);
        Ok(true)
    }

    /// Writes a file beside it, which then takes its place.
    fn replace(&self, bytes: &[u8]) -> std::io::Result<()> {
        if let Some(folder) = self.file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        // Unlike that of any other process or context.
        let (process, address) = (std::process::id(), std::ptr::from_ref(self).addr());
        let new = self
            .file
            .with_extension(format!("{process}-{address:x}.new"));
        let made = Unfinished::of(|| std::io::Result::Ok((created(&new)?, new.clone())));
        let (mut file, entry) = made?;
        let done = file
            .write_all(bytes)
            .and_then(|()| std::fs::rename(&new, &self.file));
        if done.is_err() {
            let _ = std::fs::remove_file(&new);
        }
        drop(entry);
        done
    }
}

/// A file that was not there: what is, as a link that somebody else put there, is removed and not
/// written through.
fn created(file: &Path) -> std::io::Result<File> {
    match File::create_new(file) {
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {
            std::fs::remove_file(file)?;
            File::create_new(file)
        }
        made => made,
    }
}

/// The data in a file; `None` if it is no ordinary file, larger than a driver's kernels are, not
/// whole, or cannot be read.
fn read(file: &Path) -> Option<Vec<u8>> {
    let found = std::fs::metadata(file)
        .ok()
        .filter(std::fs::Metadata::is_file)?;
    verified(File::open(file).ok()?, found.len())
}

fn create(gpu: &Gpu, data: Option<&[u8]>) -> Result<wgpu::PipelineCache> {
    let descriptor = wgpu::PipelineCacheDescriptor {
        label: Some("zerostride"),
        data,
        fallback: true,
    };
    // SAFETY: the data must be what `PipelineCache::get_data` returned. A file gives data only if
    // it begins with this module's magic and the rest has the checksum that `save` wrote
    // for what `get_data` returned, so a file that was cut short, damaged or written by something
    // else gives none; of the rest wgpu compares backend, device and the driver's own version. That
    // nobody else writes into the folder is what `Builder::kernel_cache` asks of its caller.
    gpu.caught("create_pipeline_cache", || unsafe {
        gpu.device.create_pipeline_cache(&descriptor)
    })
}

/// The bytes of a file with this data: magic, checksum, data.
fn checksummed(data: &[u8]) -> Vec<u8> {
    [&MAGIC, &checksum(data).to_le_bytes(), data].concat()
}

/// The data in a file of this length, if it is whole. A file that is another kind of thing is read
/// no further than its header.
fn verified(mut file: impl Read, len: u64) -> Option<Vec<u8>> {
    let mut header = [0; HEADER];
    file.read_exact(&mut header).ok()?;
    let (magic, sum) = header.split_at(MAGIC.len());
    if magic != MAGIC || len > MOST_BYTES {
        return None;
    }
    let mut data = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut data).ok()?;
    (sum == checksum(&data).to_le_bytes()).then_some(data)
}

/// FNV-1a: it tells damage, not malice.
fn checksum(data: &[u8]) -> u64 {
    data.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(file: &[u8]) -> Option<Vec<u8>> {
        verified(file, file.len() as u64)
    }

    #[test]
    fn only_what_has_its_checksum_is_taken() {
        let data: Vec<u8> = (0..200).collect();
        let file = checksummed(&data);
        assert_eq!(taken(&file), Some(data.clone()));
        assert_eq!(taken(&checksummed(&[])), Some(vec![]));
        assert_eq!(taken(&data), None);
        for cut in 0..file.len() {
            assert_eq!(taken(&file[..cut]), None, "cut after {cut} bytes");
        }
        for (place, bit) in (0..file.len()).flat_map(|place| (0..8).map(move |bit| (place, bit))) {
            let mut changed = file.clone();
            changed[place] ^= 1 << bit;
            assert_eq!(taken(&changed), None, "bit {bit} of byte {place}");
        }
        assert_eq!(taken(&[&file[..], &[0]].concat()), None);
    }

    #[test]
    #[cfg(unix)]
    fn a_link_is_replaced_and_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let [victim, new] = ["victim", "new"].map(|name| folder.path().join(name));
        std::fs::write(&victim, "as it was").unwrap();
        std::os::unix::fs::symlink(&victim, &new).unwrap();
        created(&new).unwrap().write_all(b"kernels").unwrap();
        assert_eq!(std::fs::read(&victim).unwrap(), b"as it was");
        assert_eq!(std::fs::read(&new).unwrap(), b"kernels");
        assert!(!new.is_symlink());
    }

    #[test]
    fn a_file_of_another_kind_or_too_large_is_read_no_further_than_its_header() {
        /// Ends in a panic if more than the header is read.
        struct HeaderOnly<'a>(&'a [u8]);
        impl Read for HeaderOnly<'_> {
            fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
                assert!(!self.0.is_empty(), "it was read past its header");
                self.0.read(out)
            }
        }
        let sound = checksummed(&[7; 100]);
        assert_eq!(verified(HeaderOnly(&[0; HEADER]), 1 << 30), None);
        assert_eq!(verified(HeaderOnly(b"zstride\x02........"), 116), None);
        assert_eq!(verified(HeaderOnly(&sound[..HEADER]), MOST_BYTES + 1), None);
        // As long as the whole file is, and sparse.
        let folder =
            std::env::temp_dir().join(format!("zerostride-pipeline-cache-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let large = folder.join("large");
        File::create(&large)
            .and_then(|f| f.set_len(MOST_BYTES << 10))
            .unwrap();
        assert_eq!(read(&large), None);
        assert_eq!((read(&folder), read(&folder.join("none"))), (None, None));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

# Installs Tenon @VERSION@ for the current user: install.ps1 [-Prefix FOLDER] [-From URL|FOLDER] [-Uninstall]
#
# Everything is in PREFIX\lib\tenon, and nothing else is changed or removed, PATH neither. A folder of this name without our
# marker is somebody else's. The SHA-256 of the archive has to be the one in this file. The folder of the new version is
# complete before it takes the place of the old one, which comes back if that fails.
param(
    [string]$Prefix = (Join-Path $env:LOCALAPPDATA 'Programs\tenon'),
    [string]$From = @URL@,
    [switch]$Uninstall
)
$ErrorActionPreference = 'Stop'
# Windows PowerShell downloads and unpacks much faster when it does not draw its progress.
$ProgressPreference = 'SilentlyContinue'

$marker = '.installer'

# Whether a folder was made by this installer. A link is not: what it leads to is somebody else's.
function Test-Own([string]$Folder) {
    if (-not (Test-Path -LiteralPath (Join-Path $Folder $marker) -PathType Leaf)) { return $false }
    -not ((Get-Item -Force -LiteralPath $Folder).Attributes -band [IO.FileAttributes]::ReparsePoint)
}

function Remove-Own([string]$Folder) {
    if (-not (Test-Path -LiteralPath $Folder)) { return }
    if (-not (Test-Own $Folder)) {
        throw "$Folder was not made by this installer; remove it, or choose another folder with -Prefix"
    }
    # The marker last: what cannot be removed now is still ours then.
    Get-ChildItem -Force -LiteralPath $Folder | Where-Object { $_.Name -ne $marker } | Remove-Item -Recurse -Force
    Remove-Item -Recurse -Force -LiteralPath $Folder
}

# The folders above lib that an installation created, the innermost first. The marker lists them, for as long as the
# installation is there.
function Get-Made {
    foreach ($own in $place, $old) {
        if (Test-Own $own) { return [IO.File]::ReadAllLines((Join-Path $own $marker)) }
    }
    for ($folder = $Prefix; $folder -and -not (Test-Path -LiteralPath $folder); $folder = [IO.Path]::GetDirectoryName($folder)) {
        $folder
    }
}

# Removes lib and the folders that were created for it, unless there is something in them. Those that were there stay.
function Remove-Made([string[]]$Made) {
    foreach ($folder in @($library) + $Made) {
        if (-not (Test-Path -LiteralPath $folder)) { continue }
        if (-not (Get-ChildItem -Force -LiteralPath $folder)) { Remove-Item -Force -LiteralPath $folder }
    }
}

function Get-Archive([string]$File) {
    if ($From -match '://') { Invoke-WebRequest -UseBasicParsing -Uri "$From/@ARCHIVE@" -OutFile $File }
    else { Copy-Item -LiteralPath (Join-Path $From '@ARCHIVE@') -Destination $File }
    $found = (Get-FileHash -Algorithm SHA256 -LiteralPath $File).Hash
    if ($found -ne '@CHECKSUM@') {
        throw "@ARCHIVE@ from $From has the SHA-256 $found instead of @CHECKSUM@; nothing was installed"
    }
}

function Install-New {
    New-Item -ItemType Directory -Path $part | Out-Null
    New-Item -ItemType File -Path (Join-Path $part $marker) | Out-Null
    $archive = Join-Path $part 'archive.zip'
    Get-Archive $archive
    Expand-Archive -LiteralPath $archive -DestinationPath $part
    $new = Join-Path $part '@FOLDER@'
    [IO.File]::WriteAllLines((Join-Path $new $marker), [string[]]$made)
    if (Test-Path -LiteralPath $place) { Move-Item -LiteralPath $place -Destination $old }
    try { Move-Item -LiteralPath $new -Destination $place }
    catch {
        if (Test-Path -LiteralPath $old) { Move-Item -LiteralPath $old -Destination $place }
        throw
    }
}

# Only one installer may work in a folder; when it is killed, the system closes its file.
function Use-Lock([scriptblock]$Work) {
    try { $lock = [IO.File]::Open("$place.lock", 'OpenOrCreate', 'Write', 'None') }
    catch { throw "$place.lock cannot be opened, perhaps because another installer is at work: $_" }
    try { & $Work }
    finally {
        $lock.Close()
        Remove-Item -Force -LiteralPath "$place.lock" -ErrorAction SilentlyContinue
    }
}

if (-not $Prefix) { throw '-Prefix needs a value' }
# An absolute path, whatever the current folder is, without slashes at its end.
$Prefix = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($Prefix).TrimEnd('\', '/')
$From = $From.TrimEnd('\', '/')
if (-not $From) { $From = $PSScriptRoot }
$library = Join-Path $Prefix 'lib'
$place = Join-Path $library 'tenon'
$part = "$place.part"
$old = "$place.old"

if ($Uninstall) {
    if (-not (Test-Own $place)) { throw "$Prefix has no Tenon of this installer" }
    $made = @(Get-Made)
    Use-Lock {
        Remove-Own $part
        Remove-Own $old
        Remove-Own $place
    }
    Remove-Made $made
    Write-Output "uninstalled Tenon from $Prefix"
    # Not `exit`, which closes the window of a user who has piped this script into it.
    return
}
if ((Test-Path -LiteralPath $place) -and -not (Test-Own $place)) {
    throw "$place exists and was not made by this installer; remove it, or choose another folder with -Prefix"
}
$made = @(Get-Made)
New-Item -ItemType Directory -Force -Path $library | Out-Null
try {
    Use-Lock {
        # What an installation left that was killed: between its two moves, the old version has to come back.
        if ((Test-Path -LiteralPath $old) -and -not (Test-Path -LiteralPath $place)) {
            Move-Item -LiteralPath $old -Destination $place
        }
        Remove-Own $old
        Remove-Own $part
        try { Install-New }
        finally { Remove-Own $part }
        # A program of the old version that runs cannot be removed; the next installation does.
        try { Remove-Own $old }
        catch { Write-Warning "$old is still in use and stays until the next installation" }
    }
}
catch {
    if (-not (Test-Own $place)) { Remove-Made $made }
    throw
}
$bin = Join-Path $place 'bin'
Write-Output "installed Tenon @VERSION@: $(Join-Path $bin 'tenon.exe')"
if (($env:PATH -split ';').TrimEnd('\') -notcontains $bin) {
    Write-Output "$bin is not on your PATH; add it to use the command"
}

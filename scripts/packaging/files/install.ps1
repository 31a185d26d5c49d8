# Installs Tenon @VERSION@ for the current user: install.ps1 [-Prefix FOLDER] [-From URL|FOLDER] [-Uninstall]
#
# The SHA-256 of the archive has to be the one in this file. The folder of the new version is complete before it takes
# the place of the old one. PATH is not changed.
param(
    [string]$Prefix = (Join-Path $env:LOCALAPPDATA 'Programs\tenon'),
    [string]$From = '@URL@',
    [switch]$Uninstall
)
$ErrorActionPreference = 'Stop'

if ($Uninstall) {
    Remove-Item -Recurse -Force -LiteralPath $Prefix
    Write-Output "uninstalled Tenon from $Prefix"
    exit
}
if (-not $From) { $From = $PSScriptRoot }
if ((Test-Path -LiteralPath $Prefix) -and -not (Test-Path -LiteralPath (Join-Path $Prefix 'bin\tenon.exe'))) {
    throw "$Prefix exists and has no Tenon in it; choose another folder with -Prefix"
}

$part = "$Prefix.part-$PID"
New-Item -ItemType Directory -Path $part | Out-Null
try {
    $archive = Join-Path $part 'archive.zip'
    if ($From -match '://') { Invoke-WebRequest -UseBasicParsing -Uri "$From/@ARCHIVE@" -OutFile $archive }
    else { Copy-Item -LiteralPath (Join-Path $From '@ARCHIVE@') -Destination $archive }
    $found = (Get-FileHash -Algorithm SHA256 -LiteralPath $archive).Hash
    if ($found -ne '@CHECKSUM@') {
        throw "@ARCHIVE@ from $From has the SHA-256 $found instead of @CHECKSUM@; nothing was installed"
    }
    Expand-Archive -LiteralPath $archive -DestinationPath $part
    $old = "$part-old"
    if (Test-Path -LiteralPath $Prefix) { Move-Item -LiteralPath $Prefix -Destination $old }
    Move-Item -LiteralPath (Join-Path $part '@FOLDER@') -Destination $Prefix
    if (Test-Path -LiteralPath $old) { Remove-Item -Recurse -Force -LiteralPath $old }
}
finally {
    Remove-Item -Recurse -Force -LiteralPath $part
}
Write-Output "installed Tenon @VERSION@: $(Join-Path $Prefix 'bin\tenon.exe')"

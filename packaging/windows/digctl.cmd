@echo off
"%~dp0dig.exe" %*
